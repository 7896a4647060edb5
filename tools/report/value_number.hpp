#pragma once
// Numbers of any type as those of a double, for each value of a trace.

#include <cstdint>

#include "shm-layout/field_type.hpp"
#include "trace-format/query/field_reader.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool {

// How numbers of a type become those of a double.
enum class NumberKind : std::uint8_t { kSigned, kUnsigned, kF64, kF32, kWide };

inline NumberKind number_kind(shm::FieldType type) {
  using enum shm::FieldType;
  switch (type) {
    case f64:
      return NumberKind::kF64;
    case f32:
      return NumberKind::kF32;
    case f80:
    case i128:
    case u128:
      return NumberKind::kWide;
    default:
      return shm::is_signed(type) ? NumberKind::kSigned : NumberKind::kUnsigned;
  }
}

// As trace::query::rounded() does, without a call for the frequent types. `kind`: that of the
// value's type.
inline double double_of(const trace::Value& value, NumberKind kind) {
  // One conversion for all integers but the greatest: no branch that depends on the field.
  if (kind <= NumberKind::kUnsigned && (kind == NumberKind::kSigned || value.i64 >= 0)) [[likely]]
    return static_cast<double>(value.i64);
  switch (kind) {
    case NumberKind::kF64:
      return value.f64;
    case NumberKind::kF32:
      return value.f32;
    case NumberKind::kWide:
      return trace::query::rounded(value);
    default:
      return static_cast<double>(value.u64);
  }
}

}  // namespace ringside::tool
