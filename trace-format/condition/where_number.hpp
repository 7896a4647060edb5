#pragma once
// Numbers of an expression: compared and computed by value, regardless of their types.

#include <compare>
#include <string_view>

#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Integers are exact within 128 bits with sign. Beyond that, and if an operand is not an integer,
// long double is used.
struct WhereNumber {
  bool is_integer = true;
  Int128 integer = 0;
  long double real = 0;

  static WhereNumber of_integer(Int128 integer) { return {true, integer, 0}; }
  static WhereNumber of_real(long double real) { return {false, 0, real}; }
  long double as_real() const { return is_integer ? static_cast<long double>(integer) : real; }
};

// Unordered if one is NaN.
std::partial_ordering compare(const WhereNumber& a, const WhereNumber& b);

WhereNumber add(const WhereNumber& a, const WhereNumber& b);
WhereNumber subtract(const WhereNumber& a, const WhereNumber& b);
WhereNumber multiply(const WhereNumber& a, const WhereNumber& b);

// 7 / 2 is 3.5. `b` is not 0.
WhereNumber divide(const WhereNumber& a, const WhereNumber& b);

// Decimal, 0x..., or with a fraction or exponent; false if `text` as a whole is none of these.
bool parse_number(std::string_view text, WhereNumber& number);

}  // namespace ringside::trace
