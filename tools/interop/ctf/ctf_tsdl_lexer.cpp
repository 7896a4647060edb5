#include "tools/interop/ctf/ctf_tsdl_lexer.hpp"

#include <charconv>

namespace ringside::tool::ctf {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

bool fail(Token& token, std::string_view why) {
  token.text = why;
  return false;
}

}  // namespace

bool Lexer::pass_blanks_and_comments() {
  for (;;) {
    at_ = text_.find_first_not_of(" \t\r\n\f\v", at_);
    if (at_ == std::string_view::npos) at_ = text_.size();
    const std::string_view rest = text_.substr(at_);
    const bool is_line = rest.starts_with("//");
    if (!is_line && !rest.starts_with("/*")) return true;
    const std::size_t end = is_line ? rest.find('\n') : rest.find("*/", 2);
    if (end == std::string_view::npos) {
      if (is_line) at_ = text_.size();
      return is_line;
    }
    at_ += end + (is_line ? 1 : 2);
  }
}

bool Lexer::number(Token& token) {
  token.kind = TokenKind::kNumber;
  int base = 10;
  if (text_[at_] == '0') {
    const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    base = second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8;
    if (base != 8) at_ += 2;
  }
  const auto [end, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), token.number, base);
  if (error != std::errc()) return fail(token, "invalid number, or more than 64 bits");
  at_ = static_cast<std::size_t>(end - text_.data());
  while (at_ < text_.size() &&
         std::string_view("uUlL").find(text_[at_]) != std::string_view::npos) {
    ++at_;
  }
  return true;
}

bool Lexer::literal(Token& token) {
  const char quote = text_[at_++];
  token.kind = TokenKind::kText;
  while (at_ < text_.size() && text_[at_] != quote) {
    char c = text_[at_++];
    if (c == '\\') {
      if (at_ == text_.size()) break;
      c = text_[at_++];
      constexpr std::string_view kLetters = "abfnrtv";
      constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
      const std::size_t letter = kLetters.find(c);
      const bool is_octal = c >= '0' && c <= '7';
      if (letter != std::string_view::npos) {
        c = kMeanings[letter];
      } else if (is_octal || c == 'x') {
        const std::size_t from = is_octal ? at_ - 1 : at_;
        const std::size_t most = is_octal ? 3 : 2;
        const std::string_view digits = text_.substr(from, most);
        unsigned code = 0;
        const auto end =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, is_octal ? 8 : 16)
                .ptr;
        at_ = from + static_cast<std::size_t>(end - digits.data());
        c = static_cast<char>(code);
      }
    }
    token.text += c;
  }
  if (at_ == text_.size()) return fail(token, "unterminated text");
  ++at_;
  return true;
}

bool Lexer::next(Token& token) {
  token.text.clear();
  token.number = 0;
  const bool passed = pass_blanks_and_comments();
  token.offset = at_;
  if (!passed) return fail(token, "unterminated comment");
  token.kind = TokenKind::kEnd;
  if (at_ == text_.size()) return true;
  const char c = text_[at_];
  if (is_digit(c)) return number(token);
  if (c == '"' || c == '\'') return literal(token);
  if (is_word_letter(c)) {
    token.kind = TokenKind::kWord;
    while (at_ < text_.size() && is_word_letter(text_[at_])) token.text += text_[at_++];
    return true;
  }
  token.kind = TokenKind::kMark;
  for (const std::string_view mark : {"...", ":=", "->"}) {
    if (text_.substr(at_).starts_with(mark)) {
      token.text = mark;
      at_ += mark.size();
      return true;
    }
  }
  if (std::string_view("{}[]()<>;=:,.*+-").find(c) == std::string_view::npos) {
    return fail(token, "unexpected character");
  }
  token.text = c;
  ++at_;
  return true;
}

}  // namespace ringside::tool::ctf
