#include "trace-format/text/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ringside::trace {
namespace {

using shm::FieldType;

bool is_narrow_signed(FieldType type) {
  return type >= FieldType::i8 && type <= FieldType::i64;
}

bool is_narrow_unsigned(FieldType type) {
  return type >= FieldType::u8 && type <= FieldType::u64;
}

// A file may hold bit patterns that arithmetic never produces: an exponent without the mantissa's
// top bit ("unnormal"). The processor treats them as NaN, and older C libraries overflow their
// buffers; so they become a NaN here.
long double x87(std::uint64_t mantissa, std::uint64_t exponent_and_sign) {
  const bool negative = (exponent_and_sign & 0x8000) != 0;
  const auto exponent = static_cast<int>(exponent_and_sign & 0x7fff);
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  const bool unnormal = exponent != 0 && (mantissa & kTopBit) == 0;
  if (unnormal || (exponent == 0x7fff && mantissa != kTopBit)) {
    const long double nan = std::numeric_limits<long double>::quiet_NaN();
    return std::copysign(nan, negative ? -1.0L : 1.0L);
  }
  if (exponent == 0x7fff) {
    const long double infinity = std::numeric_limits<long double>::infinity();
    return negative ? -infinity : infinity;
  }
  // The processor's own form, except denormal numbers: C libraries print those differently that
  // have the mantissa's top bit.
  if (std::numeric_limits<long double>::digits == 64 && exponent != 0) {
    const auto head = static_cast<std::uint16_t>(exponent_and_sign);
    long double number = 0;
    std::memcpy(&number, &mantissa, sizeof mantissa);
    std::memcpy(reinterpret_cast<char*>(&number) + sizeof mantissa, &head, sizeof head);
    return number;
  }
  const int scale = (exponent == 0 ? 1 : exponent) - 16383 - 63;
  const long double magnitude = std::ldexp(static_cast<long double>(mantissa), scale);
  return negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::int64_t> Value::as_i64() const {
  if (is_narrow_signed(type) || type == FieldType::enumeration) return i64;
  if (type == FieldType::boolean || (is_narrow_unsigned(type) && type != FieldType::u64)) {
    return i64;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Value::as_u64() const {
  if (is_narrow_unsigned(type) || type == FieldType::boolean || type == FieldType::character ||
      type == FieldType::pointer) {
    return u64;
  }
  return std::nullopt;
}

std::optional<Int128> Value::as_i128() const {
  if (type == FieldType::i128) {
    return static_cast<Int128>((static_cast<UInt128>(high) << 64) | u64);
  }
  if (is_narrow_signed(type)) return i64;
  if (is_narrow_unsigned(type)) return static_cast<Int128>(u64);
  return std::nullopt;
}

std::optional<UInt128> Value::as_u128() const {
  if (type == FieldType::u128) return (static_cast<UInt128>(high) << 64) | u64;
  if (is_narrow_unsigned(type)) return u64;
  return std::nullopt;
}

std::optional<double> Value::as_f64() const {
  if (type == FieldType::f64) return f64;
  if (type == FieldType::f32) return static_cast<double>(f32);
  return std::nullopt;
}

std::optional<long double> Value::as_f80() const {
  if (type == FieldType::f80) return x87(u64, high);
  if (const std::optional<double> number = as_f64()) return *number;
  return std::nullopt;
}

void Value::set_rounded(Value& value, long double number) {
  constexpr std::uint64_t kSign = 0x8000;
  constexpr std::uint64_t kSpecial = 0x7FFF;
  constexpr std::uint64_t kLeading = std::uint64_t{1} << 63;
  constexpr int kBias = 16383;
  const std::uint64_t sign = std::signbit(number) ? kSign : 0;
  value.u64 = 0;
  value.high = sign;
  if (std::isnan(number) || std::isinf(number)) {
    value.u64 = std::isnan(number) ? kLeading | kLeading >> 1 : kLeading;
    value.high = sign | kSpecial;
    return;
  }
  if (number == 0) return;
  int exponent = 0;
  static_cast<void>(std::frexp(number, &exponent));  // of a fraction in [0.5, 1)
  // A denormal number has the exponent of the smallest normal one, and fewer digits.
  exponent = std::max(exponent, 2 - kBias);
  const long double digits =
      std::nearbyint(std::ldexp(std::abs(number), 64 - exponent));  // at most 2^64
  const bool carries = digits >= 0x1p64L;
  value.u64 = carries ? kLeading : static_cast<std::uint64_t>(digits);
  const int stored = exponent + kBias - 1 + (carries ? 1 : 0);
  value.high = sign | ((value.u64 & kLeading) != 0 ? static_cast<std::uint64_t>(stored) : 0);
}

std::optional<std::string_view> Value::as_text() const {
  if (type == FieldType::string || type == FieldType::bytes) return text;
  return std::nullopt;
}

}  // namespace ringside::trace
