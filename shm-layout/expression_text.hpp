#pragma once
// Names of fields of printf statements are argument expressions, as written in C or C++. The
// library, which splits arguments, and the readers of such names must agree on where literals end.

#include <cstddef>
#include <string_view>

namespace ringside::shm {

inline constexpr std::size_t kMaxRawDelimiterBytes =
    16;  // of R"delimiter(text)delimiter", by the standard

// UTF-8 letters and the dollar sign count: compilers accept them in identifiers.
constexpr bool is_identifier_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The identifier, keyword or number that ends before `at`; empty if there is none.
constexpr std::string_view word_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && is_identifier_part(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

// Whether a literal opens at `at`. An apostrophe inside a number (1'000, 0xAB'CD) separates digits.
constexpr bool opens_literal(std::string_view text, std::size_t at) {
  if (text[at] == '"') return true;
  if (text[at] != '\'') return false;
  const std::string_view before = word_before(text, at);
  return before.empty() || !is_digit(before.front());
}

// The position after the literal that opens at `at`, raw string literals included; npos if it is
// unterminated.
constexpr std::size_t literal_end(std::string_view text, std::size_t at) {
  const std::string_view prefix = word_before(text, at);
  const bool is_raw = text[at] == '"' && (prefix == "R" || prefix == "LR" || prefix == "uR" ||
                                          prefix == "UR" || prefix == "u8R");
  if (is_raw) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return std::string_view::npos;
    const std::string_view delimiter = text.substr(at + 1, open - at - 1);
    if (delimiter.size() > kMaxRawDelimiterBytes) return std::string_view::npos;
    for (std::size_t close = text.find(')', open); close != std::string_view::npos;
         close = text.find(')', close + 1)) {
      const std::string_view rest = text.substr(close + 1);
      if (rest.starts_with(delimiter) && rest.substr(delimiter.size()).starts_with('"')) {
        return close + 1 + delimiter.size() + 1;
      }
    }
    return std::string_view::npos;
  }
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == text[at]) return i + 1;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

}  // namespace ringside::shm
