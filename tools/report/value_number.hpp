#pragma once
// Numbers of any type as those of a double, for each value of a trace.

#include "shm-layout/field_type.hpp"
#include "trace-format/query/field_reader.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool {

// As trace::query::rounded() does, without a call for the frequent types.
inline double double_of(const trace::Value& value) {
  using enum shm::FieldType;
  switch (value.type) {
    case f64:
      return value.f64;
    case f32:
      return value.f32;
    case f80:
    case i128:
    case u128:
      return trace::query::rounded(value);
    default:
      return shm::is_signed(value.type) ? static_cast<double>(value.i64)
                                        : static_cast<double>(value.u64);
  }
}

}  // namespace ringside::tool
