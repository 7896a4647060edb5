#include "tools/interop/json/json_decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace ringside::tool {
namespace {

// Digits with at most one decimal point.
std::optional<std::int64_t> scaled_digits(std::string_view text, unsigned decimals) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::int64_t sum = 0;
  const auto read = std::from_chars(text.data(), text.data() + point, sum);
  if (read.ec != std::errc() || read.ptr != text.data() + point) return {};
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  for (std::size_t i = 0; i < decimals; ++i) {
    const int digit = i < fraction.size() ? fraction[i] - '0' : 0;
    if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum)) {
      return {};
    }
  }
  const bool up = fraction.size() > decimals && fraction[decimals] >= '5';
  if (up && __builtin_add_overflow(sum, 1, &sum)) return {};
  return is_negative ? -sum : sum;
}

}  // namespace

std::optional<std::int64_t> scaled_decimal(const JsonNode& number, unsigned decimals) {
  JsonNode parsed;
  parsed.text = number.text;
  const bool is_number = number.is_integer() || number.kind == JsonKind::kFloating ||
                         (number.is_text() && parse_json_number(number.text, parsed));
  if (!is_number) return {};
  const bool is_plain = std::all_of(number.text.begin(), number.text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (is_plain) return scaled_digits(number.text, decimals);
  const double scaled =
      (number.is_text() ? parsed.floating : number.floating) * std::pow(10.0, decimals);
  if (!(std::abs(scaled) < 9.2e18)) return {};
  return std::llround(scaled);
}

}  // namespace ringside::tool
