// One loader per file kind; load_tokenizer() chooses among them.
#pragma once

#include <filesystem>
#include <memory>

#include "tessera/text/tokenizer.h"

namespace tessera::text {

/// tokenizer.json with the config files beside it.
std::unique_ptr<Tokenizer> load_tokenizer_json(const std::filesystem::path& path);
/// tekken.json of mistral-common.
std::unique_ptr<Tokenizer> load_tekken(const std::filesystem::path& path);
/// A SentencePiece model (protocol buffer) of type BPE.
std::unique_ptr<Tokenizer> load_sentencepiece(const std::filesystem::path& path);

}  // namespace tessera::text
