#include "libagent/description/literal_value.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "shm-layout/expression_token.hpp"

namespace ringside {
namespace {

using shm::FieldType;

template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | (code >> 18 & 0x07));
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// The characters between the quotes of a literal.
class QuotedText {
 public:
  explicit QuotedText(std::string_view text) : text_(text) {}

  void append_to(std::string& out) {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '\\' || at_ == text_.size()) {
        out += c;
      } else {
        append_escape(out);
      }
    }
  }

 private:
  std::uint32_t number(int base, std::size_t most_digits) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < most_digits && at_ < text_.size(); ++i, ++at_) {
      const int digit = digit_of(text_[at_]);
      if (digit >= base) break;
      value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
    }
    return value;
  }

  void append_escape(std::string& out) {
    constexpr std::string_view kLetters = "abefnrtv";
    constexpr std::string_view kCharacters = "\a\b\x1B\f\n\r\t\v";
    const char c = text_[at_];
    if (c >= '0' && c <= '7') {
      out += static_cast<char>(number(8, 3));
      return;
    }
    ++at_;
    if (c == 'x') {
      out += static_cast<char>(number(16, text_.size()));
    } else if (c == 'u' || c == 'U') {
      append_utf8(out, number(16, c == 'u' ? 4 : 8));
    } else {
      const std::size_t letter = kLetters.find(c);
      out += letter != std::string_view::npos ? kCharacters[letter] : c;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::string> quoted(std::string_view literal, char quote) {
  std::string text;
  for (std::size_t at = 0;;) {
    const shm::ExpressionToken token = shm::token_at(literal, at);
    if (token.kind == shm::TokenKind::kEnd) return text;
    const std::string_view part = token.text;
    if (part.size() < 2 || part.front() != quote || part.back() != quote) return {};
    QuotedText(part.substr(1, part.size() - 2)).append_to(text);
    at = token.end;
  }
}

template <class Number>
std::optional<std::string> floating(std::string_view digits, bool is_negative) {
  Number number = 0;
  if (digits.ends_with('f') || digits.ends_with('F')) digits.remove_suffix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return {};
  return bytes_of(is_negative ? -number : number);
}

std::optional<std::string> integer(std::string_view digits, bool is_negative, FieldType type) {
  while (!digits.empty() &&
         shm::is_one_of(digits.substr(digits.size() - 1), {"u", "U", "l", "L", "z", "Z"})) {
    digits.remove_suffix(1);
  }
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) base = 16;
  if (digits.starts_with("0b") || digits.starts_with("0B")) base = 2;
  if (base != 10) {
    digits.remove_prefix(2);
  } else if (digits.starts_with('0')) {
    base = 8;
  }
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error != std::errc() || stop != end) return {};
  if (is_negative) number = 0 - number;
  return bytes_of(number).substr(0, shm::fixed_size(type));  // the low bytes first
}

std::optional<std::string> number_value(std::string_view literal, FieldType type) {
  const bool is_negative = literal.starts_with('-');
  if (is_negative || literal.starts_with('+')) literal.remove_prefix(1);
  std::string digits(shm::without_outer_spaces(literal));
  std::erase(digits, '\'');
  if (type == FieldType::f32) return floating<float>(digits, is_negative);
  if (type == FieldType::f64) return floating<double>(digits, is_negative);
  return integer(digits, is_negative, type);
}

}  // namespace

std::string_view literal_text(std::string_view argument) {
  argument = shm::without_outer_spaces(argument);
  const shm::ExpressionToken macro = shm::token_at(argument, 0);
  const shm::ExpressionToken open = shm::token_at(argument, macro.end);
  const bool is_named = macro.is("RS_NAMED");
  if ((!is_named && !macro.is("RS_ARG")) || !open.is('(')) return argument;
  std::string_view inside = argument.substr(open.end);
  if (inside.ends_with(')')) inside.remove_suffix(1);
  if (is_named) {
    const std::size_t comma = shm::comma_at(inside, 0);
    inside = comma < inside.size() ? inside.substr(comma + 1) : std::string_view();
  }
  return shm::without_outer_spaces(inside);
}

std::optional<std::string> literal_value(std::string_view literal, FieldType type) {
  switch (type) {
    case FieldType::boolean:
      return std::string(1, literal == "true" ? '\1' : '\0');
    case FieldType::character: {
      std::optional<std::string> text = quoted(literal, '\'');
      return text && text->size() == 1 ? text : std::nullopt;
    }
    case FieldType::string: {
      std::optional<std::string> text = quoted(literal, '"');
      if (text) text->resize(std::min(text->size(), text->find('\0')));
      return text;
    }
    default:
      return number_value(literal, type);
  }
}

}  // namespace ringside
