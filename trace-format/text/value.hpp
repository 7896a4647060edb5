// A decoded argument. Small and trivially copyable: a reader keeps one array of them and overwrites
// it for each record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "shm-layout/field_type.hpp"

namespace ringside::trace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// The members that are valid, by type:
//   boolean, character, u8..u64, pointer   u64, zero-extended (a character is 0..255)
//   i8..i64, enumeration                   i64, sign-extended; text: an enumeration's name if known
//   i128, u128                             u64 and high: the low and the high half
//   f32; f64                               f32; f64
//   f80                                    u64 the mantissa, high the exponent and sign (16 bits)
//   string, bytes                          text
//   arrays                                 text: the elements as a record stores them (strings
//                                          and bytes with their u32 lengths, little-endian),
//                                          and count
// `text` points into the decoder's buffer; the decoder defines its lifetime.
struct Value {
  shm::FieldType type = shm::FieldType::none;
  std::uint32_t count = 0;
  union {
    std::int64_t i64;
    std::uint64_t u64 = 0;
    double f64;
    float f32;
  };
  std::uint64_t high = 0;
  std::string_view text = {};

  static Value of_signed(shm::FieldType type, std::int64_t number);
  static Value of_unsigned(shm::FieldType type, std::uint64_t number);
  static Value of_halves(shm::FieldType type, std::uint64_t low, std::uint64_t high);
  static Value of_f32(float number);
  static Value of_f64(double number);
  static Value of_f80(long double number);
  // For a long double of 128 bits: a mantissa of 64 bits, rounded to nearest.
  static void set_rounded(Value& value, long double number);
  static Value of_text(shm::FieldType type, std::string_view text);
  static Value of_enumeration(std::int64_t number, std::string_view name);
  static Value of_array(shm::FieldType array_type, std::string_view elements, std::uint32_t count);

  // Each has a value only for the types that it can represent without loss.
  std::optional<std::int64_t> as_i64() const;       // i8..i64, u8..u32, boolean, enumeration
  std::optional<std::uint64_t> as_u64() const;      // u8..u64, boolean, character, pointer
  std::optional<Int128> as_i128() const;            // i8..i128, u8..u64
  std::optional<UInt128> as_u128() const;           // u8..u128
  std::optional<double> as_f64() const;             // f32, f64
  std::optional<long double> as_f80() const;        // f32, f64, f80
  std::optional<std::string_view> as_text() const;  // string, bytes
};

static_assert(sizeof(Value) <= 48);
static_assert(std::is_trivially_copyable_v<Value>);

inline Value Value::of_signed(shm::FieldType type, std::int64_t number) {
  Value value;
  value.type = type;
  value.i64 = number;
  return value;
}

inline Value Value::of_unsigned(shm::FieldType type, std::uint64_t number) {
  Value value;
  value.type = type;
  value.u64 = number;
  return value;
}

inline Value Value::of_halves(shm::FieldType type, std::uint64_t low, std::uint64_t high) {
  Value value = of_unsigned(type, low);
  value.high = high;
  return value;
}

inline Value Value::of_f32(float number) {
  Value value;
  value.type = shm::FieldType::f32;
  value.f32 = number;
  return value;
}

inline Value Value::of_f64(double number) {
  Value value;
  value.type = shm::FieldType::f64;
  value.f64 = number;
  return value;
}

// Only for hosts whose long double is the x87 type: other hosts never produce an f80.
inline Value Value::of_f80(long double number) {
  Value value;
  value.type = shm::FieldType::f80;
  if constexpr (std::numeric_limits<long double>::digits == 64) {
    std::memcpy(&value.u64, &number, 8);
    std::memcpy(&value.high, reinterpret_cast<const char*>(&number) + 8, 2);
  } else {
    set_rounded(value, number);
  }
  return value;
}

inline Value Value::of_text(shm::FieldType type, std::string_view text) {
  Value value;
  value.type = type;
  value.text = text;
  return value;
}

inline Value Value::of_enumeration(std::int64_t number, std::string_view name) {
  Value value = of_signed(shm::FieldType::enumeration, number);
  value.text = name;
  return value;
}

inline Value Value::of_array(shm::FieldType array_type, std::string_view elements,
                             std::uint32_t count) {
  Value value = of_text(array_type, elements);
  value.count = count;
  return value;
}

}  // namespace ringside::trace
