// The fields that a printf format records, in the order of the C arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "field_type.hpp"
#include "printf_spec.hpp"

namespace ringside::shm {

enum class PrintfRole : std::uint8_t { value = 0, width, precision };

struct PrintfField {
  FieldType type = FieldType::none;  // i32 for widths and precisions
  PrintfRole role = PrintfRole::value;
  char conversion = 0;  // '*' for widths and precisions
  LengthModifier length = LengthModifier::none;
  // The limit of a string when it is recorded, in bytes of UTF-8: a literal (-1: none), or the
  // index of the field with the precision in the list (-1: none; a negative argument: no limit).
  std::int32_t precision_literal = -1;
  std::int16_t precision_field = -1;
  bool wide = false;  // the C argument is wint_t or wchar_t*
};

struct FieldList {
  PrintfField fields[kMaxPrintfFields] = {};
  std::uint32_t count = 0;         // on error: of the conversions before it
  std::uint32_t error_offset = 0;  // byte in the format
  PrintfError error = PrintfError::none;

  constexpr bool ok() const { return error == PrintfError::none; }
  constexpr const PrintfField* begin() const { return fields; }
  constexpr const PrintfField* end() const { return fields + count; }
  constexpr const PrintfField& operator[](std::size_t index) const { return fields[index]; }
};

// The largest type that is recorded for `wanted`. C++ statements record an integer in the width of
// its argument unless the conversion has a length modifier; its sign is the conversion's.
constexpr FieldType widest_type(const PrintfField& wanted) {
  const bool any_width = wanted.role == PrintfRole::value &&
                         wanted.length == LengthModifier::none && is_integer(wanted.type);
  if (!any_width) return wanted.type;
  return is_signed(wanted.type) ? FieldType::i64 : FieldType::u64;
}

// Whether a field of `type` can be recorded for `wanted`. For %s C++ statements also record an
// enumeration, whose name is shown.
constexpr bool records_as(const PrintfField& wanted, FieldType type) {
  if (type == wanted.type) return true;
  if (type == FieldType::enumeration) return wanted.conversion == 's' && !wanted.wide;
  const FieldType widest = widest_type(wanted);
  return widest != wanted.type && is_integer(type) && is_signed(type) == is_signed(widest) &&
         fixed_size(type) <= fixed_size(widest);
}

// Recording guarantees to the reader: a string is cut to its precision (a wide one at a character
// boundary). A null string is recorded as glibc prints it: "(null)", or nothing if its precision is
// under 6.
constexpr FieldList printf_fields(std::string_view format) {
  constexpr PrintfField kStar{FieldType::i32, PrintfRole::width, '*'};
  FieldList list;
  PrintfParser parser(format);
  for (PrintfSpec spec; parser.next(spec);) {
    if (spec.conversion == '%') continue;
    PrintfField value{spec.field_type, PrintfRole::value, spec.conversion, spec.length};
    value.wide = spec.wide;
    if (spec.width_kind == WidthKind::argument) list.fields[list.count++] = kStar;
    if (spec.precision_kind == WidthKind::argument) {
      value.precision_field = static_cast<std::int16_t>(list.count);
      list.fields[list.count] = kStar;
      list.fields[list.count++].role = PrintfRole::precision;
    }
    if (spec.precision_kind == WidthKind::literal) value.precision_literal = spec.precision;
    list.fields[list.count++] = value;
  }
  list.error = parser.error();
  list.error_offset = parser.error_offset();
  return list;
}

}  // namespace ringside::shm
