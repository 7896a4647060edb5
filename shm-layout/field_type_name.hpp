// Names of the types of fields.
#pragma once

#include <cstdint>
#include <string_view>

#include "field_type.hpp"

namespace ringside::shm {

// Name for messages and dumps; "?" for an undefined code.
constexpr std::string_view name(FieldType type) {
  constexpr std::string_view kNames[] = {
      "none", "bool", "char", "i8",  "i16", "i32", "i64",     "i128",   "u8",    "u16",
      "u32",  "u64",  "u128", "f32", "f64", "f80", "pointer", "string", "bytes", "enum",
  };
  constexpr std::string_view kArrayNames[] = {
      "?",      "bool[]", "char[]",    "i8[]",     "i16[]",   "i32[]",  "i64[]",
      "i128[]", "u8[]",   "u16[]",     "u32[]",    "u64[]",   "u128[]", "f32[]",
      "f64[]",  "f80[]",  "pointer[]", "string[]", "bytes[]", "enum[]",
  };
  const std::uint8_t element = code(element_type(type));
  if (element > kLastFieldType) return "?";
  return is_array(type) ? kArrayNames[element] : kNames[element];
}

}  // namespace ringside::shm
