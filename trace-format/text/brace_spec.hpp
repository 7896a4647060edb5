// The placeholders of a brace format, as std::format and {fmt} define them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::trace {

enum class BraceAlignment : char { none = '\0', left = '<', right = '>', center = '^' };

// [[fill]align][sign][#][0][width][.precision][L][type]
struct BraceSpec {
  static constexpr std::uint16_t kNoArgument = 0xffff;

  std::string fill;  // one character; empty: the default
  BraceAlignment alignment = BraceAlignment::none;
  char sign = '\0';  // '+', '-', ' '
  char type = '\0';
  bool alternate = false;
  bool zero = false;
  bool localized = false;
  std::int32_t width = 0;
  std::int32_t precision = -1;
  std::uint16_t width_argument = kNoArgument;
  std::uint16_t precision_argument = kNoArgument;

  bool is_dynamic() const {
    return width_argument != kNoArgument || precision_argument != kNoArgument;
  }
  // Whether nothing but a type is given.
  bool is_plain() const {
    return fill.empty() && alignment == BraceAlignment::none && sign == '\0' && !alternate &&
           !zero && width == 0 && precision < 0 && !is_dynamic();
  }
};

struct Placeholder {
  std::size_t begin = 0;  // byte range in the format
  std::size_t end = 0;
  std::uint16_t argument = 0;
  bool without_brackets = false;  // 'n' of an array
  BraceSpec spec;                 // of an array: for each element
};

struct BraceFormat {
  std::string text;                    // with {{ and }} replaced
  std::vector<std::size_t> text_ends;  // in text, for each placeholder: the text before it
  std::vector<Placeholder> placeholders;
};

// Format and fields are untrusted. Checks the syntax, and that every argument exists and every
// width is an integer; whether a specification suits its type is checked elsewhere.
std::optional<BraceFormat> parse_brace_format(std::string_view format,
                                              std::span<const FormatField> fields,
                                              std::string* why);

}  // namespace ringside::trace
