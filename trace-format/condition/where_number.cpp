#include "trace-format/condition/where_number.hpp"

#include <charconv>
#include <cmath>
#include <compare>

namespace ringside::trace {
namespace {

constexpr long double kIntegerLimit = 0x1p127L;

std::partial_ordering compare_mixed(Int128 integer, long double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= kIntegerLimit) return std::partial_ordering::less;
  if (real < -kIntegerLimit) return std::partial_ordering::greater;
  const long double whole = std::floor(real);
  const auto other = static_cast<Int128>(whole);
  if (integer != other) {
    return integer < other ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return real > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

}  // namespace

std::partial_ordering compare(const WhereNumber& a, const WhereNumber& b) {
  if (a.is_integer && b.is_integer) {
    if (a.integer == b.integer) return std::partial_ordering::equivalent;
    return a.integer < b.integer ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  if (a.is_integer) return compare_mixed(a.integer, b.real);
  if (b.is_integer) {
    const std::partial_ordering order = compare_mixed(b.integer, a.real);
    if (std::is_lt(order)) return std::partial_ordering::greater;
    return std::is_gt(order) ? std::partial_ordering::less : order;
  }
  return a.real <=> b.real;
}

WhereNumber add(const WhereNumber& a, const WhereNumber& b) {
  Int128 sum = 0;
  if (a.is_integer && b.is_integer && !__builtin_add_overflow(a.integer, b.integer, &sum)) {
    return WhereNumber::of_integer(sum);
  }
  return WhereNumber::of_real(a.as_real() + b.as_real());
}

WhereNumber subtract(const WhereNumber& a, const WhereNumber& b) {
  Int128 difference = 0;
  if (a.is_integer && b.is_integer && !__builtin_sub_overflow(a.integer, b.integer, &difference)) {
    return WhereNumber::of_integer(difference);
  }
  return WhereNumber::of_real(a.as_real() - b.as_real());
}

WhereNumber multiply(const WhereNumber& a, const WhereNumber& b) {
  Int128 product = 0;
  if (a.is_integer && b.is_integer && !__builtin_mul_overflow(a.integer, b.integer, &product)) {
    return WhereNumber::of_integer(product);
  }
  return WhereNumber::of_real(a.as_real() * b.as_real());
}

WhereNumber divide(const WhereNumber& a, const WhereNumber& b) {
  // The smallest integer has no positive counterpart.
  if (a.is_integer && b.is_integer && b.integer != -1 && a.integer % b.integer == 0) {
    return WhereNumber::of_integer(a.integer / b.integer);
  }
  return WhereNumber::of_real(a.as_real() / b.as_real());
}

bool parse_number(std::string_view text, WhereNumber& number) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  const char* const end = digits.data() + digits.size();
  std::uint64_t integer = 0;
  const auto whole = std::from_chars(digits.data(), end, integer, hex ? 16 : 10);
  if (whole.ec == std::errc() && whole.ptr == end) {
    number = WhereNumber::of_integer(static_cast<Int128>(integer));
    return true;
  }
  if (hex) return false;
  double real = 0;
  const auto any = std::from_chars(digits.data(), end, real);
  number = WhereNumber::of_real(static_cast<long double>(real));
  return any.ec == std::errc() && any.ptr == end;
}

}  // namespace ringside::trace
