// Which C++ types accept which fields, and how a decoded value is converted.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace::query {

// Any number (integers, floating, booleans) as a double, which may round it.
struct AnyNumber {
  double value = 0;
};

// An enumeration with its name, which is empty if the dictionary has no name for the number.
struct EnumValue {
  std::int64_t number = 0;
  std::string_view name;
};

// Bits that an integer field may need; 0 for types that are not integers.
constexpr unsigned integer_bits(shm::FieldType type) {
  if (!shm::is_array(type) && shm::is_integer(type)) {
    return static_cast<unsigned>(8 * shm::fixed_size(type));
  }
  return 0;
}

constexpr bool is_number(shm::FieldType type) {
  using shm::FieldType;
  return integer_bits(type) != 0 || type == FieldType::f32 || type == FieldType::f64 ||
         type == FieldType::f80 || type == FieldType::boolean;
}

// Whether an integer of `bits` bits can hold every value of an integer field.
constexpr bool integer_fits(shm::FieldType type, unsigned bits, bool is_signed) {
  if (type == shm::FieldType::boolean) return true;
  const unsigned needed = integer_bits(type);
  if (needed == 0) return false;
  if (shm::is_signed(type)) return is_signed && needed <= bits;
  return is_signed ? needed < bits : needed <= bits;
}

// The C++ type that holds a field of `type` without loss, for messages.
std::string_view type_that_takes(shm::FieldType type);

// Any number; for AnyNumber.
double rounded(const Value& value);

// For readers that keep nothing between a value and its use.
struct NoScratch {};

// FieldReader<T>: kName for messages; takes(type); read(value, scratch) for fields that it accepts.
template <class T>
struct FieldReader {
  static_assert(sizeof(T) == 0, "a visitor's parameter of this type cannot be read from a field");
};

template <std::integral T>
requires(!std::same_as<T, bool> && !std::same_as<T, char>) struct FieldReader<T> {
  using Scratch = NoScratch;
  static constexpr unsigned kBits = 8 * sizeof(T);
  static constexpr std::string_view name() {
    constexpr std::string_view kSigned[] = {"std::int8_t", "std::int16_t", "std::int32_t",
                                            "std::int64_t"};
    constexpr std::string_view kUnsigned[] = {"std::uint8_t", "std::uint16_t", "std::uint32_t",
                                              "std::uint64_t"};
    constexpr std::size_t kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kLog] : kUnsigned[kLog];
  }
  static constexpr bool takes(shm::FieldType type) {
    using shm::FieldType;
    if (type == FieldType::enumeration) return std::is_signed_v<T> && sizeof(T) == 8;
    if (type == FieldType::pointer) return !std::is_signed_v<T> && sizeof(T) == 8;
    return integer_fits(type, kBits, std::is_signed_v<T>);
  }
  // A Value holds narrower values extended to 64 bits, so that all types are read the same way.
  static T read(const Value& value, NoScratch&) { return static_cast<T>(value.u64); }
};

template <>
struct FieldReader<Int128> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "Int128"; }
  static constexpr bool takes(shm::FieldType type) { return integer_fits(type, 128, true); }
  static Int128 read(const Value& value, NoScratch&) {
    if (value.type == shm::FieldType::i128) {
      return static_cast<Int128>(UInt128{value.high} << 64 | value.u64);
    }
    return shm::is_signed(value.type) ? Int128{value.i64} : static_cast<Int128>(value.u64);
  }
};

template <>
struct FieldReader<UInt128> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "UInt128"; }
  static constexpr bool takes(shm::FieldType type) { return integer_fits(type, 128, false); }
  static UInt128 read(const Value& value, NoScratch&) {
    return value.type == shm::FieldType::u128 ? UInt128{value.high} << 64 | value.u64
                                              : UInt128{value.u64};
  }
};

template <>
struct FieldReader<bool> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "bool"; }
  static constexpr bool takes(shm::FieldType type) { return type == shm::FieldType::boolean; }
  static bool read(const Value& value, NoScratch&) { return value.u64 != 0; }
};

template <>
struct FieldReader<char> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "char"; }
  static constexpr bool takes(shm::FieldType type) { return type == shm::FieldType::character; }
  static char read(const Value& value, NoScratch&) { return static_cast<char>(value.u64); }
};

template <>
struct FieldReader<float> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "float"; }
  static constexpr bool takes(shm::FieldType type) { return type == shm::FieldType::f32; }
  static float read(const Value& value, NoScratch&) { return value.f32; }
};

// Also integers that a double holds exactly.
template <>
struct FieldReader<double> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "double"; }
  static constexpr bool takes(shm::FieldType type) {
    using shm::FieldType;
    return type == FieldType::f32 || type == FieldType::f64 || integer_fits(type, 33, true);
  }
  static double read(const Value& value, NoScratch&) {
    if (value.type == shm::FieldType::f64) [[likely]]
      return value.f64;
    if (value.type == shm::FieldType::f32) return static_cast<double>(value.f32);
    return static_cast<double>(value.i64);
  }
};

template <>
struct FieldReader<long double> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "long double"; }
  static constexpr bool takes(shm::FieldType type) {
    return type == shm::FieldType::f80 || FieldReader<double>::takes(type);
  }
  static long double read(const Value& value, NoScratch& scratch) {
    if (value.type == shm::FieldType::f80) return value.as_f80().value_or(0);
    return static_cast<long double>(FieldReader<double>::read(value, scratch));
  }
};

template <>
struct FieldReader<AnyNumber> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "AnyNumber"; }
  static constexpr bool takes(shm::FieldType type) { return is_number(type); }
  static AnyNumber read(const Value& value, NoScratch&) { return {rounded(value)}; }
};

template <>
struct FieldReader<EnumValue> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "EnumValue"; }
  static constexpr bool takes(shm::FieldType type) { return type == shm::FieldType::enumeration; }
  static EnumValue read(const Value& value, NoScratch&) { return {value.i64, value.text}; }
};

// Strings, unchanged bytes, and the names of enumerations.
template <>
struct FieldReader<std::string_view> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "std::string_view"; }
  static constexpr bool takes(shm::FieldType type) {
    using shm::FieldType;
    return type == FieldType::string || type == FieldType::bytes || type == FieldType::enumeration;
  }
  static std::string_view read(const Value& value, NoScratch&) { return value.text; }
};

template <>
struct FieldReader<std::span<const std::byte>> {
  using Scratch = NoScratch;
  static constexpr std::string_view name() { return "std::span<const std::byte>"; }
  static constexpr bool takes(shm::FieldType type) {
    return type == shm::FieldType::string || type == shm::FieldType::bytes;
  }
  static std::span<const std::byte> read(const Value& value, NoScratch&) {
    return std::as_bytes(std::span(value.text.data(), value.text.size()));
  }
};

// Arrays with exactly these elements. They are copied, because they are not aligned in a record;
// the copy lives during the visit.
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) struct FieldReader<std::span<const T>> {
  using Scratch = std::vector<T>;
  static constexpr std::string_view name() { return "std::span of numbers"; }
  static constexpr bool takes(shm::FieldType type) {
    if (!shm::is_array(type)) return false;
    using shm::FieldType;
    const FieldType element = shm::element_type(type);
    if constexpr (std::same_as<T, char>) return element == FieldType::character;
    if constexpr (std::same_as<T, float>) return element == FieldType::f32;
    if constexpr (std::same_as<T, double>) return element == FieldType::f64;
    if constexpr (std::integral<T> && !std::same_as<T, char>) {
      if (element == FieldType::boolean) return sizeof(T) == 1 && !std::is_signed_v<T>;
      return integer_bits(element) == 8 * sizeof(T) &&
             shm::is_signed(element) == std::is_signed_v<T>;
    }
    return false;
  }
  static std::span<const T> read(const Value& value, Scratch& scratch) {
    const std::size_t count = std::min<std::size_t>(value.count, value.text.size() / sizeof(T));
    scratch.resize(count);
    if (count != 0) std::memcpy(scratch.data(), value.text.data(), count * sizeof(T));
    return scratch;
  }
};

}  // namespace ringside::trace::query
