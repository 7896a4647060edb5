// Reads brace formats (trace-format/README.md, "Style 2"): at compile time for the C++ front end,
// and once per site for the reader. No allocation, no exceptions; the format is untrusted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brace_error.hpp"
#include "field_type.hpp"
#include "format_text.hpp"

namespace ringside::shm {

// Of a width or a precision, as in printf formats: one short record of a hostile file must not
// request gigabytes.
inline constexpr std::int32_t kMaxBraceSize = 4095;
inline constexpr std::size_t kMaxBracePlaceholders = 512;
inline constexpr std::size_t kMaxBraceFormatBytes = 65536;

// Which argument a placeholder or a size takes.
struct BraceArgument {
  bool is_present = false;
  bool is_named = false;
  std::uint32_t begin = 0;       // byte of the format, after '{'
  std::uint32_t number = 0;      // of one without a name
  std::uint32_t name_begin = 0;  // bytes of the format
  std::uint32_t name_end = 0;
};

struct BraceSpec {
  bool is_present = false;  // something follows the colon; of an array: that of its elements
  char type = 0;
  char alignment = 0;  // < > ^
  char sign = 0;       // + - and blank
  bool alternate = false;
  bool zero = false;
  bool localized = false;
  bool without_brackets = false;  // of an array
  std::uint8_t fill_bytes = 0;    // 0: a blank
  std::uint32_t fill_begin = 0;
  std::int32_t width = -1;      // -1: none, or that of the argument
  std::int32_t precision = -1;  // likewise
  BraceArgument width_argument;
  BraceArgument precision_argument;
};

class BraceParser {
 public:
  // The format's bytes must outlive the parser.
  constexpr explicit BraceParser(FormatText format) : format_(format) {
    if (format.size() > kMaxBraceFormatBytes) fail(BraceError::format_too_long);
  }

  // Finds the next placeholder and reads its argument; take_end() or read_spec() must follow. False
  // at the end, and always after an error.
  constexpr bool next(BraceArgument& argument) {
    while (error_ == BraceError::none) {
      at_ = static_cast<std::uint32_t>(format_.find_brace(at_));
      if (at_ == format_.size()) return false;
      const char c = format_[at_];
      if (c == '\0') return fail(BraceError::embedded_nul);
      if (at_ + 1 < format_.size() && format_[at_ + 1] == c) {
        at_ += 2;
      } else if (c == '}') {
        return fail(BraceError::stray_brace);
      } else {
        if (placeholders_++ == kMaxBracePlaceholders)
          return fail(BraceError::too_many_placeholders);
        begin_ = at_++;
        return take_argument(argument);
      }
    }
    return false;
  }

  // Whether the placeholder ends after its argument; then read_spec() is not to be called.
  constexpr bool take_end() { return take('}'); }

  // Reads the rest of the placeholder, for a value that is an array or not. False after an error.
  constexpr bool read_spec(bool is_array, BraceSpec& spec) {
    spec = BraceSpec{};
    if (take(':')) {
      if (is_array) {
        spec.without_brackets = take('n');
        if (take(':')) {
          if (!take_spec(spec)) return false;
        } else if (peek() != '}') {
          return fail(BraceError::not_for_arrays);
        }
      } else if (!take_spec(spec)) {
        return false;
      }
    }
    return take('}') || fail(BraceError::unterminated);
  }

  constexpr BraceError error() const { return error_; }
  constexpr std::uint32_t error_offset() const { return error_offset_; }
  // Of the last placeholder: its '{', and the byte after its '}'.
  constexpr std::uint32_t begin() const { return begin_; }
  constexpr std::uint32_t end() const { return at_; }

 private:
  enum class Numbering : std::uint8_t { none, automatic, manual };

  constexpr bool fail(BraceError error) { return fail_at(error, at_); }
  constexpr bool fail_at(BraceError error, std::uint32_t offset) {
    error_ = error;
    error_offset_ = offset;
    return false;
  }

  constexpr char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  constexpr bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  constexpr bool number_by(Numbering numbering, std::uint32_t begin) {
    if (numbering_ != Numbering::none && numbering_ != numbering) {
      return fail_at(BraceError::mixed_numbering, begin);
    }
    numbering_ = numbering;
    return true;
  }

  constexpr bool take_argument(BraceArgument& argument) {
    argument = BraceArgument{};
    argument.is_present = true;
    argument.begin = at_;
    const char c = peek();
    if (c == '}' || c == ':') {
      argument.number = next_number_++;
      return number_by(Numbering::automatic, argument.begin);
    }
    if (is_digit(c)) {
      if (c == '0') {
        ++at_;
      } else {
        for (; is_digit(peek()); ++at_) {
          const std::uint32_t number =
              argument.number * 10 + static_cast<std::uint32_t>(peek() - '0');
          argument.number = number < kMaxBraceFormatBytes ? number : kMaxBraceFormatBytes;
        }
      }
      return number_by(Numbering::manual, argument.begin);
    }
    if (!begins_name(c)) return fail(BraceError::invalid_argument);
    argument.is_named = true;
    argument.name_begin = at_;
    while (begins_name(peek()) || is_digit(peek())) ++at_;
    argument.name_end = at_;
    return true;
  }

  constexpr bool take_spec(BraceSpec& spec) {
    spec.is_present = true;
    if (!take_alignment(spec)) return false;
    const char sign = peek();
    if (sign == '+' || sign == '-' || sign == ' ') {
      spec.sign = sign;
      ++at_;
    }
    spec.alternate = take('#');
    spec.zero = take('0');
    if (!take_size(spec.width, spec.width_argument)) return false;
    if (take('.')) {
      if (!is_digit(peek()) && peek() != '{') return fail(BraceError::no_precision);
      if (!take_size(spec.precision, spec.precision_argument)) return false;
    }
    spec.localized = take('L');
    const char type = peek();
    if (type == '}' || type == '\0') return true;
    for (const char known : "aAbBcdeEfFgGopsxX?") {
      if (known != type || type == '\0') continue;
      spec.type = type;
      ++at_;
      return true;
    }
    return fail(BraceError::invalid_spec);
  }

  static constexpr bool aligns(char c) { return c == '<' || c == '>' || c == '^'; }

  // Bytes of the UTF-8 character here; 0 if there is none.
  constexpr std::uint32_t character_bytes() const {
    const auto first = static_cast<unsigned char>(peek());
    std::uint32_t bytes = 0;
    if (first < 0x80) {
      bytes = at_ < format_.size() ? 1 : 0;
    } else if (first >= 0xc2 && first < 0xf5) {
      bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    }
    if (at_ + bytes > format_.size()) return 0;
    for (std::uint32_t i = 1; i < bytes; ++i) {
      if ((static_cast<unsigned char>(format_[at_ + i]) & 0xc0) != 0x80) return 0;
    }
    return bytes;
  }

  constexpr bool take_alignment(BraceSpec& spec) {
    const std::uint32_t fill = character_bytes();
    const bool may_fill = fill != 0 && at_ + fill < format_.size() && peek() != '}';
    if (may_fill && aligns(format_[at_ + fill])) {
      if (peek() == '{') return fail(BraceError::brace_as_fill);
      spec.fill_begin = at_;
      spec.fill_bytes = static_cast<std::uint8_t>(fill);
      spec.alignment = format_[at_ + fill];
      at_ += fill + 1;
    } else if (aligns(peek())) {
      spec.alignment = peek();
      ++at_;
    }
    return true;
  }

  // Both forms are optional.
  constexpr bool take_size(std::int32_t& size, BraceArgument& argument) {
    if (is_digit(peek())) {
      size = 0;
      const std::uint32_t begin = at_;
      for (; is_digit(peek()); ++at_) {
        size = size * 10 + (peek() - '0');
        if (size > kMaxBraceSize) return fail_at(BraceError::size_too_large, begin);
      }
      return true;
    }
    if (!take('{')) return true;
    if (!take_argument(argument)) return false;
    return take('}') || fail(BraceError::unterminated_size);
  }

  FormatText format_;
  std::uint32_t at_ = 0;
  std::uint32_t begin_ = 0;
  std::uint32_t next_number_ = 0;
  std::uint32_t placeholders_ = 0;
  std::uint32_t error_offset_ = 0;
  BraceError error_ = BraceError::none;
  Numbering numbering_ = Numbering::none;
};

}  // namespace ringside::shm
