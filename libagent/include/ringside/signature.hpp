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
  spec_for_parts,
  too_deep,
  empty_name,
  needs_sample,
};

// Added to a field's type in its code: the text has a limit.
inline constexpr std::uint8_t kLimitedCode = 0x20;
// The argument is a literal, whose value is in the dictionary and not in records.
inline constexpr std::uint8_t kConstantCode = RS_CONSTANT_FIELD;

// The type in a field's code.
constexpr shm::FieldType field_type(unsigned code) {
  return static_cast<shm::FieldType>(code & ~unsigned{kLimitedCode | kConstantCode});
}

// Eight codes each.
inline constexpr std::size_t kCodeWords = (RS_MAX_FIELDS + 7) / 8;

struct Signature {
  // One byte for each field: its type, kLimitedCode and kConstantCode.
  std::uint64_t codes[kCodeWords] = {};
  // Of texts with kLimitedCode, in bytes; -1 - i: argument i has it.
  std::int32_t limits[RS_MAX_FIELDS] = {};
  std::uint8_t count = 0;
  bool has_limits = false;
  bool has_types = false;  // the call depends on more than the codes: see typed_call.hpp
  // What is wrong, and where.
  Mismatch mismatch = Mismatch::none;
  std::uint8_t format_error = 0;  // shm::PrintfError, BraceError or BraceFit
  char conversion = 0;
  std::uint16_t argument = 0;  // its number, from 1; 0: none
  std::uint32_t position = 0;  // byte in the format

  // All of it in one number, 0 if nothing is wrong: a template has one parameter for it, and
  // compilers take time for each parameter of each statement. See StatementFault.
  constexpr std::uint64_t fault() const {
    if (mismatch == Mismatch::none) return 0;
    return std::uint64_t{position} << 40 | std::uint64_t{argument} << 24 |
           std::uint64_t{static_cast<unsigned char>(conversion)} << 16 |
           std::uint64_t{format_error} << 8 | static_cast<std::uint64_t>(mismatch);
  }

  // The code of a field, 0 after the last one.
  constexpr unsigned code(std::size_t field) const {
    return static_cast<std::uint8_t>(codes[field / 8] >> (field % 8 * 8));
  }
  // Whether a Call needs more than the first codes.
  constexpr bool needs_itself() const { return has_limits || count > RS_FEW_FIELDS; }

  constexpr void add(shm::FieldType type, bool is_limited, std::int32_t limit) {
    const unsigned code = shm::code(type) | (is_limited ? unsigned{kLimitedCode} : 0U);
    codes[count / 8] |= std::uint64_t{code} << (count % 8 * 8);
    has_types = has_types || type == shm::FieldType::enumeration;
    if (is_limited) {
      limits[count] = limit;
      has_limits = true;
    }
    ++count;
  }

  // A field that the typed call records.
  constexpr void add_typed(shm::FieldType type, bool is_constant) {
    const unsigned code = shm::code(type) | (is_constant ? unsigned{kConstantCode} : 0U);
    codes[count / 8] |= std::uint64_t{code} << (count % 8 * 8);
    has_types = has_types || is_constant || shm::is_array(type) || type == shm::FieldType::bytes ||
                type == shm::FieldType::enumeration;
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
