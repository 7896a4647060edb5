#include "trace-format/packing/text_template.hpp"

#include <algorithm>
#include <charconv>

namespace ringside::trace {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

template <class Belongs>
std::size_t run_length(std::string_view text, std::size_t at, Belongs belongs) {
  std::size_t end = at;
  while (end < text.size() && belongs(text[end])) ++end;
  return end - at;
}

// Whether the word is a number in hexadecimal digits that does not look like a word or a decimal.
bool is_hex_number(std::string_view word) {
  constexpr std::size_t kLeast = 4;
  if (word.size() < kLeast || word.size() > kMostHexDigits) return false;
  if (!std::all_of(word.begin(), word.end(), is_hex)) return false;
  const auto digits = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_digit));
  return digits != 0 && digits != word.size();
}

std::uint64_t number_of(std::string_view digits, int base) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return number;
}

bool append_fixed(std::uint64_t number, std::size_t characters, int base, std::string& text) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  const auto length = static_cast<std::size_t>(end - digits);
  if (length > characters) return false;
  text.append(characters - length, '0');
  text.append(digits, length);
  return true;
}

}  // namespace

bool split_text(std::string_view text, NumberWidth width, std::string& form,
                std::vector<std::uint64_t>& numbers) {
  form.clear();
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c >= kDecimalMark && c <= kFixedHexMark) return false;
    if (at == 0 || !is_word(text[at - 1])) {
      const std::string_view word = text.substr(at, run_length(text, at, is_word));
      if (is_hex_number(word)) {
        form += kFixedHexMark;
        form += static_cast<char>(word.size());
        numbers.push_back(number_of(word, 16));
        at += word.size();
        continue;
      }
    }
    const std::size_t digits = run_length(text, at, is_digit);
    if (digits == 0 || digits > kMostDecimals) {
      const std::size_t bytes = std::max<std::size_t>(digits, 1);
      form.append(text.substr(at, bytes));
      at += bytes;
      continue;
    }
    if (width == NumberWidth::kFixed || (c == '0' && digits > 1)) {
      form += kFixedDecimalMark;
      form += static_cast<char>(digits);
    } else {
      form += kDecimalMark;
    }
    numbers.push_back(number_of(text.substr(at, digits), 10));
    at += digits;
  }
  return true;
}

std::ptrdiff_t count_numbers(std::string_view form) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const char c = form[at];
    if (c < kDecimalMark || c > kFixedHexMark) continue;
    ++count;
    if (c == kDecimalMark) continue;
    if (++at == form.size()) return -1;
    const auto characters = static_cast<unsigned char>(form[at]);
    const std::size_t most = c == kFixedHexMark ? kMostHexDigits : kMostDecimals;
    if (characters == 0 || characters > most) return -1;
  }
  return count;
}

bool join_text(std::string_view form, const std::uint64_t* numbers, std::string& text) {
  for (std::size_t at = 0; at < form.size(); ++at) {
    const char c = form[at];
    if (c == kDecimalMark) {
      char digits[20];
      text.append(digits, std::to_chars(digits, digits + sizeof digits, *numbers++).ptr);
    } else if (c == kFixedDecimalMark || c == kFixedHexMark) {
      const auto characters = static_cast<unsigned char>(form[++at]);
      if (!append_fixed(*numbers++, characters, c == kFixedHexMark ? 16 : 10, text)) return false;
    } else {
      text += c;
    }
  }
  return true;
}

}  // namespace ringside::trace
