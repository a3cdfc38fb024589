#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/tokenizer_files.h"
#include "tessera/text/tokenizer.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path find_in_folder(const fs::path& folder) {
  for (const char* name : {"tokenizer.json", "tekken.json", "tokenizer.model"}) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  fail(ErrorCode::not_found, folder.string(),
       "no tokenizer: neither tokenizer.json nor tekken.json nor tokenizer.model is here");
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& folder_or_file) {
  std::error_code ignored;
  const fs::path path =
      fs::is_directory(folder_or_file, ignored) ? find_in_folder(folder_or_file) : folder_or_file;
  const std::string name = path.filename().string();
  if (path.extension() == ".gguf") {
    fail(ErrorCode::invalid_argument, path.string(),
         "for a GGUF file use tokenizer_from_gguf(load_gguf(path))");
  }
  if (path.extension() == ".tiktoken") {
    fail(ErrorCode::invalid_argument, path.string(),
         "a rank file lacks its pattern and special tokens, use load_tiktoken");
  }
  if (name.starts_with("tekken")) return text::load_tekken(path);
  if (path.extension() == ".json") return text::load_tokenizer_json(path);
  return text::load_sentencepiece(path);
}

}  // namespace tessera
