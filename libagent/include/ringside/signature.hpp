#pragma once
// What a statement's call records, found out once at compile time from its format and the types of
// its arguments. Statements with equal codes share everything that is generated from them.

#include <cstddef>
#include <cstdint>

#include "abi.h"
#include "shm-layout/field_type.hpp"

namespace ringside::detail {

// Why a format and its arguments do not belong together; `none` if they do.
enum class Mismatch : std::uint8_t {
  none = 0,
  invalid_format,  // Signature::format_error says why
  too_few_arguments,
  too_many_arguments,
  needs_int,  // a `*` width or precision
  needs_integer,
  needs_this_size,  // strict mode: the length modifier is another integer's
  needs_character,
  needs_floating,
  needs_long_double,
  needs_double,
  needs_text,
  needs_wide_text,
  needs_pointer,
  needs_support,  // the style cannot record this type
  too_many_fields,
  unknown_name,
  spec_does_not_fit,  // Signature::format_error says why
};

// Added to a field's type in its code: the text has a limit.
inline constexpr std::uint8_t kLimitedCode = 0x20;

struct Signature {
  // One byte for each argument: its field's type, and kLimitedCode.
  std::uint64_t codes[RS_MAX_FIELDS / 8] = {};
  // Of texts with kLimitedCode, in bytes; -1 - i: argument i has it.
  std::int16_t limits[RS_MAX_FIELDS] = {};
  std::uint8_t count = 0;
  bool has_limits = false;
  // What is wrong, and where.
  Mismatch mismatch = Mismatch::none;
  std::uint8_t format_error = 0;  // shm::PrintfError, BraceError or BraceFit
  char conversion = 0;
  std::uint8_t argument = 0;   // its number, from 1; 0: none
  std::uint32_t position = 0;  // byte in the format

  constexpr void add(shm::FieldType type, bool is_limited, std::int32_t limit) {
    const auto code = static_cast<std::uint8_t>(shm::code(type) | (is_limited ? kLimitedCode : 0));
    codes[count / 8] |= std::uint64_t{code} << (count % 8 * 8);
    limits[count] = static_cast<std::int16_t>(limit);
    has_limits = has_limits || is_limited;
    ++count;
  }
};

// The field of an integer.
constexpr shm::FieldType integer_field(std::size_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? shm::FieldType::i8 : shm::FieldType::u8;
    case 2:
      return is_signed ? shm::FieldType::i16 : shm::FieldType::u16;
    case 4:
      return is_signed ? shm::FieldType::i32 : shm::FieldType::u32;
    case 16:
      return is_signed ? shm::FieldType::i128 : shm::FieldType::u128;
    default:
      return is_signed ? shm::FieldType::i64 : shm::FieldType::u64;
  }
}

}  // namespace ringside::detail
