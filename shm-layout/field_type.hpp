// Types of the argument fields of a record. The numbers are part of the shared-memory ABI and of
// the file format: append new ones, never renumber.
#pragma once

#include "required_platform.hpp"
// Before all others.
#include <cstddef>
#include <cstdint>

namespace ringside::shm {

enum class FieldType : std::uint8_t {
  none = 0,
  boolean = 1,
  character = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  i128 = 7,
  u8 = 8,
  u16 = 9,
  u32 = 10,
  u64 = 11,
  u128 = 12,
  f32 = 13,
  f64 = 14,
  f80 = 15,          // x87 extended: 8 bytes of mantissa, 2 of exponent and sign
  pointer = 16,      // 8 bytes for any word size of the process
  string = 17,       // u32 length, then the UTF-8 bytes
  bytes = 18,        // u32 length, then the bytes
  enumeration = 19,  // signed 8-byte integer; the dictionary has its names
};

inline constexpr std::uint8_t kLastFieldType = 19;

// Added to an element's code: an array of such elements.
inline constexpr std::uint8_t kArrayFlag = 0x80;

constexpr std::uint8_t code(FieldType type) {
  return static_cast<std::uint8_t>(type);
}

constexpr bool is_array(FieldType type) {
  return (code(type) & kArrayFlag) != 0;
}

constexpr FieldType element_type(FieldType type) {
  return static_cast<FieldType>(code(type) & static_cast<std::uint8_t>(~kArrayFlag));
}

constexpr FieldType array_of(FieldType element) {
  return static_cast<FieldType>(code(element) | kArrayFlag);
}

// True for i8..i128 and u8..u128; booleans, characters, pointers and enumerations are not numbers
// to sum or compare, although stored as integers.
constexpr bool is_integer(FieldType type) {
  return type >= FieldType::i8 && type <= FieldType::u128;
}

// True for i8..i128 only.
constexpr bool is_signed(FieldType type) {
  return type >= FieldType::i8 && type <= FieldType::i128;
}

constexpr bool is_variable_length(FieldType type) {
  return is_array(type) || type == FieldType::string || type == FieldType::bytes;
}

// Bytes that one value takes in a ring record; 0 when the length is stored with the value.
constexpr std::size_t fixed_size(FieldType type) {
  switch (type) {
    case FieldType::boolean:
    case FieldType::character:
    case FieldType::i8:
    case FieldType::u8:
      return 1;
    case FieldType::i16:
    case FieldType::u16:
      return 2;
    case FieldType::i32:
    case FieldType::u32:
    case FieldType::f32:
      return 4;
    case FieldType::i64:
    case FieldType::u64:
    case FieldType::f64:
    case FieldType::pointer:
    case FieldType::enumeration:
      return 8;
    case FieldType::f80:
      return 10;
    case FieldType::i128:
    case FieldType::u128:
      return 16;
    case FieldType::none:
    case FieldType::string:
    case FieldType::bytes:
      return 0;
  }
  return 0;  // arrays, and undefined codes
}

// Whether a byte read from shared memory or a file denotes a field's type. `none` does not.
constexpr bool is_valid_code(std::uint8_t value) {
  const auto element = static_cast<std::uint8_t>(value & static_cast<std::uint8_t>(~kArrayFlag));
  return element >= 1 && element <= kLastFieldType;
}

}  // namespace ringside::shm
