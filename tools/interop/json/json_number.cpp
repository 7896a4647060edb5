// Numbers of JSON, of up to 128 bits.

#include <charconv>
#include <limits>

#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool {
namespace {

__extension__ using WideUnsigned = unsigned __int128;

bool is_json_digit(char character) {
  return character >= '0' && character <= '9';
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_digit(text[at])) ++at;
  return at;
}

bool take_special(std::string_view text, JsonNode& node) {
  using Limits = std::numeric_limits<double>;
  node.kind = JsonKind::kFloating;
  node.floating = text == "NaN"         ? Limits::quiet_NaN()
                  : text == "Infinity"  ? Limits::infinity()
                  : text == "-Infinity" ? -Limits::infinity()
                                        : 0;
  return node.floating != 0;
}

// False beyond 128 bits.
bool take_large(std::string_view digits, bool is_negative, JsonNode& node) {
  WideUnsigned number = 0;
  for (const char digit : digits) {
    if (__builtin_mul_overflow(number, WideUnsigned{10}, &number) ||
        __builtin_add_overflow(number, static_cast<unsigned>(digit - '0'), &number)) {
      return false;
    }
  }
  if (is_negative && number > WideUnsigned{1} << 127) return false;
  if (is_negative) number = -number;
  node.kind = JsonKind::kLarge;
  node.is_negative = is_negative;
  node.low = static_cast<std::uint64_t>(number);
  node.high = static_cast<std::uint64_t>(number >> 64);
  return true;
}

bool take_integer(std::string_view digits, bool is_negative, JsonNode& node) {
  std::uint64_t number = 0;
  const bool fits =
      std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc();
  if (fits && is_negative && number != 0 && number <= std::uint64_t{1} << 63) {
    node.kind = JsonKind::kSigned;
    node.low = -number;
    return true;
  }
  if (fits && !is_negative) {
    node.kind = JsonKind::kUnsigned;
    node.low = number;
    return true;
  }
  return !(fits && number == 0) && take_large(digits, is_negative, node);
}

}  // namespace

bool parse_json_number(std::string_view text, JsonNode& node) {
  const bool is_negative = text.starts_with('-');
  const std::size_t begin = is_negative ? 1 : 0;
  const std::size_t whole = digits_from(text, begin);
  if (whole == begin) return take_special(text, node);
  if (text[begin] == '0' && whole > begin + 1) return false;
  if (whole == text.size() && take_integer(text.substr(begin), is_negative, node)) return true;
  std::size_t end = whole;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction = end + 1;
    end = digits_from(text, fraction);
    if (end == fraction) return false;
  }
  if (end < text.size() && (text[end] | 0x20) == 'e') {
    ++end;
    if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
    const std::size_t exponent = end;
    end = digits_from(text, exponent);
    if (end == exponent) return false;
  }
  if (end != text.size()) return false;
  node.kind = JsonKind::kFloating;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), node.floating);
  if (read.ec == std::errc::result_out_of_range) {
    // Too close to 0 or too large: from_chars does not distinguish these.
    const std::size_t e = text.find_first_of("eE");
    const bool is_small =
        e != std::string_view::npos ? text[e + 1] == '-' : text.substr(begin).starts_with("0.");
    node.floating = is_small ? 0.0 : std::numeric_limits<double>::infinity();
    if (is_negative) node.floating = -node.floating;
  }
  return true;
}

}  // namespace ringside::tool
