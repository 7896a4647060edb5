#pragma once
// The tokens of an argument expression, as written in C or C++, and its brackets. Any text is valid
// input: an unterminated literal ends with the text, and brackets that do not close have no end.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "expression_text.hpp"

namespace ringside::shm {

enum class TokenKind : std::uint8_t { kEnd, kWord, kNumber, kLiteral, kPunctuation };

struct ExpressionToken {
  TokenKind kind = TokenKind::kEnd;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;

  constexpr bool is(std::string_view other) const { return text == other; }
  constexpr bool is(char punctuation) const {
    return text.size() == 1 && text.front() == punctuation;
  }
};

constexpr bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  for (const std::string_view one : all) {
    if (text == one) return true;
  }
  return false;
}

constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr std::string_view without_outer_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

namespace detail {

constexpr std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_identifier_part(text[at])) ++at;
  return at;
}

// 1'000'000, 0xAB'CD, 1.5e-3f, 0x1p+4
constexpr std::size_t number_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_sign_of_exponent =
        (c == '+' || c == '-') && at > 0 &&
        (text[at - 1] == 'e' || text[at - 1] == 'E' || text[at - 1] == 'p' || text[at - 1] == 'P');
    const bool is_separator = c == '\'' && at + 1 < text.size() && is_identifier_part(text[at + 1]);
    if (!is_identifier_part(c) && c != '.' && !is_sign_of_exponent && !is_separator) break;
  }
  return at;
}

// Of the literal whose quote is at `quote`, with the suffix of a user-defined literal.
constexpr std::size_t whole_literal_end(std::string_view text, std::size_t quote) {
  const std::size_t end = literal_end(text, quote);
  return end == std::string_view::npos ? text.size() : word_end(text, end);
}

constexpr bool is_char_of(char c, std::string_view all) {
  return all.find(c) != std::string_view::npos;
}

// `>>` is two tokens, because it may close two template argument lists.
constexpr std::size_t punctuation_end(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  const std::string_view third = text.substr(at).substr(0, 3);
  if (third == "<=>" || third == "->*" || third == "...") return at + 3;
  const bool is_doubled = c == next && is_char_of(c, ":<&|+-=");
  const bool is_assigned = next == '=' && is_char_of(c, "<>=!+-*&/%|^");
  const bool is_member = (c == '-' && next == '>') || (c == '.' && next == '*');
  return is_doubled || is_assigned || is_member ? at + 2 : at + 1;
}

}  // namespace detail

// The token that starts at `at` or after spaces there.
constexpr ExpressionToken token_at(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  ExpressionToken token{TokenKind::kEnd, at, at, {}};
  if (at >= text.size()) return token;
  const char c = text[at];
  const bool starts_fraction = c == '.' && at + 1 < text.size() && is_digit(text[at + 1]);
  if (c == '"' || c == '\'') {
    token.kind = TokenKind::kLiteral;
    token.end = detail::whole_literal_end(text, at);
  } else if (is_digit(c) || starts_fraction) {
    token.kind = TokenKind::kNumber;
    token.end = detail::number_end(text, at);
  } else if (is_identifier_part(c)) {
    token.kind = TokenKind::kWord;
    token.end = detail::word_end(text, at);
    const bool is_quoted =
        token.end < text.size() && (text[token.end] == '"' || text[token.end] == '\'');
    const std::string_view word = text.substr(at, token.end - at);
    if (is_quoted && is_one_of(word, {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"})) {
      token.kind = TokenKind::kLiteral;
      token.end = detail::whole_literal_end(text, token.end);
    }
  } else {
    token.kind = TokenKind::kPunctuation;
    token.end = detail::punctuation_end(text, at);
  }
  token.text = text.substr(at, token.end - at);
  return token;
}

constexpr bool opens_bracket(const ExpressionToken& token) {
  return token.is('(') || token.is('[') || token.is('{');
}

constexpr bool closes_bracket(const ExpressionToken& token) {
  return token.is(')') || token.is(']') || token.is('}');
}

// The position after the bracket that closes the one at `at`; npos if there is none.
constexpr std::size_t bracket_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (;;) {
    const ExpressionToken token = token_at(text, at);
    if (token.kind == TokenKind::kEnd) return std::string_view::npos;
    at = token.end;
    if (opens_bracket(token)) ++depth;
    if (closes_bracket(token) && --depth == 0) return at;
  }
}

// The position after the template argument list that the `<` at `at` may open; npos if it opens
// none.
constexpr std::size_t template_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (;;) {
    const ExpressionToken token = token_at(text, at);
    if (token.kind == TokenKind::kEnd || closes_bracket(token) || token.is("||")) break;
    at = token.end;
    if (opens_bracket(token)) {
      at = bracket_end(text, token.begin);
      if (at == std::string_view::npos) break;
    } else if (token.is('<')) {
      ++depth;
    } else if (token.is('>') && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

// Whether `token` can follow a template's argument list. No operand can: a < b, c > d.
constexpr bool may_follow_template(const ExpressionToken& token) {
  return token.kind == TokenKind::kEnd ||
         is_one_of(token.text, {"(", "{", "::", ",", ")", "]", "}", "."});
}

// The position of the next comma at or after `at` outside brackets; the end if there is none.
constexpr std::size_t comma_at(std::string_view text, std::size_t at) {
  for (;;) {
    const ExpressionToken token = token_at(text, at);
    if (token.kind == TokenKind::kEnd) return text.size();
    if (token.is(',')) return token.begin;
    at = token.end;
    if (opens_bracket(token)) {
      at = bracket_end(text, token.begin);
      if (at == std::string_view::npos) return text.size();
    }
  }
}

}  // namespace ringside::shm
