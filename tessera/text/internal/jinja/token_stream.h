// The tokens of one template with a place in them, and the parser's guard against deep nesting.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/text/internal/jinja/lexer.h"
#include "tessera/text/internal/jinja/template_error.h"

namespace tessera::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  const Token& look(std::size_t ahead = 1) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  int line() const { return current().line; }

  Token next() {
    Token token = current();
    if (token.type != TokenType::end) ++at_;
    return token;
  }

  bool skip_op(std::string_view op) {
    if (!current().is_op(op)) return false;
    ++at_;
    return true;
  }
  bool skip_name(std::string_view name) {
    if (!current().is_name(name)) return false;
    ++at_;
    return true;
  }
  void expect_op(std::string_view op) {
    if (!skip_op(op)) unexpected(std::string("'") + std::string(op) + "'");
  }
  void expect_name(std::string_view name) {
    if (!skip_name(name)) unexpected(std::string("'") + std::string(name) + "'");
  }
  std::string expect_identifier() {
    if (current().type != TokenType::name) unexpected("a name");
    return next().text;
  }
  void expect(TokenType type, const char* what) {
    if (current().type != type) unexpected(what);
    next();
  }

  [[noreturn]] void unexpected(std::string_view expected) const {
    error("expected {}, found {}", expected, describe(current()));
  }

  template <class... Args>
  [[noreturn]] void error(fmt::format_string<Args...> format, Args&&... args) const {
    template_error(line(), format, std::forward<Args>(args)...);
  }

  /// Counts one level of nested syntax for its lifetime.
  class Level {
   public:
    explicit Level(TokenStream& stream) : stream_(stream) {
      if (++stream_.depth_ > kMaxNesting)
        stream_.error("nested deeper than {} levels", kMaxNesting);
    }
    ~Level() { --stream_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    static constexpr int kMaxNesting = 100;
    TokenStream& stream_;
  };

 private:
  static std::string describe(const Token& token) {
    switch (token.type) {
      case TokenType::data: return "text";
      case TokenType::variable_begin: return "'{{'";
      case TokenType::variable_end: return "'}}'";
      case TokenType::block_begin: return "'{%'";
      case TokenType::block_end: return "'%}'";
      case TokenType::end: return "the end of the template";
      case TokenType::string: return "a string";
      case TokenType::integer:
      case TokenType::floating: return "a number";
      case TokenType::name:
      case TokenType::op: return "'" + token.text + "'";
    }
    return "a token";
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace tessera::jinja
