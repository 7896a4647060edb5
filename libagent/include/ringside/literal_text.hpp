#pragma once
// Whether a piece of source text is a single literal whose value the library can read
// (libagent/description/literal_value.hpp): a number with a sign or without, true, false, a
// character, or string literals in a row. Prefixes, raw strings, suffixes of user-defined literals
// and hexadecimal floating-point numbers are not.

#include <cstddef>
#include <cstdint>

#include "shm-layout/field_type.hpp"
#include "shm-layout/format_text.hpp"

namespace ringside::detail {

class LiteralText {
 public:
  constexpr LiteralText(shm::FormatText text, std::uint32_t begin, std::uint32_t end)
      : text_(text), at_(begin), end_(end) {}

  // Whether it is a literal whose field has the type `type`.
  constexpr bool is_literal(shm::FieldType type) {
    const char c = peek();
    if ((c == '"') != (type == shm::FieldType::string)) return false;
    if ((c == '\'') != (type == shm::FieldType::character)) return false;
    if ((c == 't' || c == 'f') != (type == shm::FieldType::boolean)) return false;
    if (c == '"') {
      do {
        if (!skip_quoted('"')) return false;
        while (peek() == ' ') ++at_;
      } while (peek() == '"');
      return at_ == end_;
    }
    if (c == '\'') return skip_quoted('\'') && at_ == end_;
    if (c == 't') return is_word("true");
    if (c == 'f') return is_word("false");
    if (c == '-' || c == '+') {
      ++at_;
      while (peek() == ' ') ++at_;
    }
    return is_number();
  }

 private:
  constexpr char peek() const { return at_ < end_ ? text_[at_] : '\0'; }
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

  constexpr bool is_word(const char* word) {
    for (; *word != '\0'; ++word) {
      if (peek() != *word) return false;
      ++at_;
    }
    return at_ == end_;
  }

  // False if it is unterminated or has a suffix.
  constexpr bool skip_quoted(char quote) {
    for (++at_; at_ < end_ && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= end_) return false;
    ++at_;
    const char c = peek();
    return c == '\0' || c == ' ' || c == quote;
  }

  constexpr bool is_number() {
    const bool is_prefixed = peek() == '0' && at_ + 1 < end_ &&
                             (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X' ||
                              text_[at_ + 1] == 'b' || text_[at_ + 1] == 'B');
    if (is_prefixed) {
      const bool is_hexadecimal = text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X';
      at_ += 2;
      while (is_hexadecimal ? is_hexadecimal_digit(peek()) || peek() == '\''
                            : is_digit(peek()) || peek() == '\'')
        ++at_;
      return has_integer_suffix();
    }
    if (!is_digit(peek()) && !(peek() == '.' && at_ + 1 < end_ && is_digit(text_[at_ + 1]))) {
      return false;
    }
    bool is_floating = false;
    for (; is_digit(peek()) || peek() == '\'' || peek() == '.'; ++at_) {
      is_floating = is_floating || peek() == '.';
    }
    if (peek() == 'e' || peek() == 'E') {
      is_floating = true;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (!is_floating) return has_integer_suffix();
    if (peek() == 'f' || peek() == 'F') ++at_;
    return at_ == end_;
  }

  static constexpr bool is_hexadecimal_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  constexpr bool has_integer_suffix() {
    while (peek() == 'u' || peek() == 'U' || peek() == 'l' || peek() == 'L' || peek() == 'z' ||
           peek() == 'Z') {
      ++at_;
    }
    return at_ == end_;
  }

  shm::FormatText text_;
  std::uint32_t at_;
  std::uint32_t end_;
};

}  // namespace ringside::detail
