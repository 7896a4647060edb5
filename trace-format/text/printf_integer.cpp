#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shm-layout/printf_spec.hpp"
#include "trace-format/text/printf_number.hpp"

namespace ringside::trace {
namespace {

using namespace shm::printf_flag;

constexpr std::size_t kMaxDigits = 64;  // of %b

std::string_view digits_of(std::uint64_t number, char conversion, char* buffer) {
  int base = 10;
  switch (conversion) {
    case 'o':
      base = 8;
      break;
    case 'x':
    case 'X':
      base = 16;
      break;
    case 'b':
    case 'B':
      base = 2;
      break;
    default:
      break;
  }
  char* const end = std::to_chars(buffer, buffer + kMaxDigits, number, base).ptr;
  if (conversion == 'X') {
    for (char* digit = buffer; digit != end; ++digit) {
      if (*digit >= 'a') *digit = static_cast<char>(*digit - 'a' + 'A');
    }
  }
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

void write_padded_number(TextSink& sink, std::string_view prefix, std::string_view digits,
                         const NumberStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  std::size_t zeros = 0;
  if (style.precision >= 0) {
    const auto precision = static_cast<std::size_t>(style.precision);
    zeros = precision > digits.size() ? precision - digits.size() : 0;
  } else if ((style.flags & (kZero | kMinus)) == kZero) {
    const std::size_t used = prefix.size() + digits.size();
    zeros = width > used ? width - used : 0;
  }
  const std::size_t used = prefix.size() + zeros + digits.size();
  const std::size_t blanks = width > used ? width - used : 0;
  const bool left = (style.flags & kMinus) != 0;
  if (!left) sink.fill(' ', blanks);
  sink.write(prefix);
  sink.fill('0', zeros);
  sink.write(digits);
  if (left) sink.fill(' ', blanks);
}

std::string_view sign_of(bool negative, std::uint8_t flags) {
  if (negative) return "-";
  if ((flags & kPlus) != 0) return "+";
  return (flags & kSpace) != 0 ? " " : "";
}

}  // namespace

void write_signed(TextSink& sink, std::int64_t number, const NumberStyle& style) {
  char buffer[kMaxDigits];
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t magnitude = number < 0 ? 0 - bits : bits;
  std::string_view digits = digits_of(magnitude, 'u', buffer);
  if (number == 0 && style.precision == 0) digits = {};
  write_padded_number(sink, sign_of(number < 0, style.flags), digits, style);
}

void write_unsigned(TextSink& sink, std::uint64_t number, const NumberStyle& style) {
  char buffer[kMaxDigits];
  std::string_view digits = digits_of(number, style.conversion, buffer);
  if (number == 0 && style.precision == 0) digits = {};
  std::string_view prefix;
  NumberStyle effective = style;
  if ((style.flags & kHash) != 0) {
    switch (style.conversion) {
      case 'o':
        // The alternative form raises the precision until the first digit is a zero.
        if (digits.empty() || (digits[0] != '0' && style.precision >= 0 &&
                               static_cast<std::size_t>(style.precision) <= digits.size())) {
          effective.precision = static_cast<std::int32_t>(digits.size()) + 1;
        } else if (style.precision < 0 && digits[0] != '0') {
          prefix = "0";
        }
        break;
      case 'x':
        prefix = number != 0 ? "0x" : "";
        break;
      case 'X':
        prefix = number != 0 ? "0X" : "";
        break;
      case 'b':
        prefix = number != 0 ? "0b" : "";
        break;
      case 'B':
        prefix = number != 0 ? "0B" : "";
        break;
      default:
        break;
    }
  }
  write_padded_number(sink, prefix, digits, effective);
}

// glibc's forms: "%#lx" with the sign flags, or the text "(nil)", never cut.
void write_pointer(TextSink& sink, std::uint64_t address, const NumberStyle& style) {
  if (address == 0) {
    write_text(sink, "(nil)", style);
    return;
  }
  char buffer[3 + kMaxDigits];
  const std::string_view digits = digits_of(address, 'x', buffer + 3);
  const std::string_view sign = sign_of(false, style.flags);
  char* begin = buffer + 1;
  begin[0] = '0';
  begin[1] = 'x';
  if (!sign.empty()) *--begin = sign[0];
  const auto prefix_bytes = static_cast<std::size_t>(buffer + 3 - begin);
  write_padded_number(sink, {begin, prefix_bytes}, digits, style);
}

void write_text(TextSink& sink, std::string_view text, const NumberStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  const std::size_t blanks = width > text.size() ? width - text.size() : 0;
  const bool left = (style.flags & kMinus) != 0;
  if (!left) sink.fill(' ', blanks);
  sink.write(text);
  if (left) sink.fill(' ', blanks);
}

}  // namespace ringside::trace
