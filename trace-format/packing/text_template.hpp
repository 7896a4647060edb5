// A text as a template and the numbers in it: README.md, "Columns", "Templates".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trace {

// Bytes of a template that stand for a number. After the latter two comes the number of characters.
inline constexpr char kDecimalMark = 0;       // without leading zeros
inline constexpr char kFixedDecimalMark = 1;  // 1 to 18 digits
inline constexpr char kFixedHexMark = 2;      // 1 to 16 digits, lower case
inline constexpr std::size_t kMostDecimals = 18;
inline constexpr std::size_t kMostHexDigits = 16;

enum class NumberWidth : std::uint8_t {
  kFree,   // numbers of different lengths have one template, except with leading zeros
  kFixed,  // the template has the length of each number
};

// False if `text` has bytes that are marks. Replaces `form` and appends to `numbers`.
bool split_text(std::string_view text, NumberWidth width, std::string& form,
                std::vector<std::uint64_t>& numbers);

// How many numbers the template has; a negative number if it is invalid.
std::ptrdiff_t count_numbers(std::string_view form);

// Appends the text of a valid template; takes count_numbers() from `numbers`. False if one does not
// fit its number of characters.
bool join_text(std::string_view form, const std::uint64_t* numbers, std::string& text);

}  // namespace ringside::trace
