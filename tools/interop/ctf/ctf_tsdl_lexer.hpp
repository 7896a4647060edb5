#pragma once
// Splits the text of CTF's metadata language, TSDL, into tokens.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::tool::ctf {

enum class TokenKind : std::uint8_t { kEnd, kWord, kNumber, kText, kMark };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // of words and texts; of marks: one of { } [ ] ( ) < > ; = := : , . ... * + -
  std::uint64_t number = 0;  // without its sign
  std::size_t offset = 0;    // in the metadata

  bool is(std::string_view mark) const { return kind == TokenKind::kMark && text == mark; }
  bool is_word(std::string_view word) const { return kind == TokenKind::kWord && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // False at invalid bytes: the token has their offset, and its text is the error.
  bool next(Token& token);

 private:
  bool pass_blanks_and_comments();
  bool number(Token& token);
  bool literal(Token& token);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace ringside::tool::ctf
