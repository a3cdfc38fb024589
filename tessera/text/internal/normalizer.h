// Text normalizers: what a tokenizer file applies to text before it is cut into pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/text/internal/tokenizer_regex.h"

namespace tessera::text {

/// One rewriting step. Input and output are valid UTF-8; steps have no state and may run on many
/// threads at once.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual std::string apply(std::string text) const = 0;
};

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

std::unique_ptr<Normalizer> make_unicode_normalizer(UnicodeForm form);
std::unique_ptr<Normalizer> make_lowercase_normalizer();
/// Drops every mark (Mn, Mc, Me); only useful behind a decomposition.
std::unique_ptr<Normalizer> make_strip_accents_normalizer();
/// Trims white space.
std::unique_ptr<Normalizer> make_strip_normalizer(bool left, bool right);
/// Puts a text in front of any text that is not empty.
std::unique_ptr<Normalizer> make_prepend_normalizer(std::string prefix);
std::unique_ptr<Normalizer> make_replace_normalizer(std::string from, std::string to);
std::unique_ptr<Normalizer> make_replace_normalizer(Regex from, std::string to);

/// Steps in order.
class NormalizerChain {
 public:
  void add(std::unique_ptr<Normalizer> step) { steps_.push_back(std::move(step)); }
  bool empty() const { return steps_.empty(); }
  std::string apply(std::string_view text) const;

 private:
  std::vector<std::unique_ptr<Normalizer>> steps_;
};

}  // namespace tessera::text
