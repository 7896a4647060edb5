// Whether the specification of a placeholder suits the type of its value.
#pragma once

#include <cstdint>

#include "brace_parser.hpp"
#include "field_type.hpp"

namespace ringside::shm {

enum class BraceFit : std::uint8_t {
  fits = 0,
  other_type,  // the presentation type belongs to other values
  no_sign,
  no_number,  // # and 0 are for numbers
  no_precision,
};

namespace brace {

constexpr bool is_any_of(char type, const char* types) {
  for (; *types != '\0'; ++types) {
    if (*types == type) return true;
  }
  return false;
}

constexpr BraceFit fit_flags(const BraceSpec& spec, bool sign, bool number, bool precision) {
  if (spec.sign != 0 && !sign) return BraceFit::no_sign;
  if ((spec.alternate || spec.zero || spec.localized) && !number) return BraceFit::no_number;
  const bool has_precision = spec.precision >= 0 || spec.precision_argument.is_present;
  return has_precision && !precision ? BraceFit::no_precision : BraceFit::fits;
}

constexpr bool is_number_type(char type) {
  return is_any_of(type, "dxXobBc");
}

constexpr BraceFit fit_integer(const BraceSpec& spec, bool is_signed) {
  if (spec.type != '\0' && !is_number_type(spec.type)) return BraceFit::other_type;
  return fit_flags(spec, is_signed, true, false);
}

constexpr BraceFit fit_text(const BraceSpec& spec) {
  if (spec.type != '\0' && !is_any_of(spec.type, "s?")) return BraceFit::other_type;
  return fit_flags(spec, false, false, true);
}

}  // namespace brace

// For an array: of its elements.
constexpr BraceFit fit(const BraceSpec& spec, FieldType type) {
  switch (element_type(type)) {
    case FieldType::boolean:
      if (spec.type != '\0' && spec.type != 's' && !brace::is_number_type(spec.type)) {
        return BraceFit::other_type;
      }
      return brace::fit_flags(spec, false, true, false);
    case FieldType::character:
      if (spec.type != 'c' && brace::is_number_type(spec.type)) {
        return brace::fit_integer(spec, true);
      }
      if (spec.type != '\0' && !brace::is_any_of(spec.type, "c?")) return BraceFit::other_type;
      return spec.alternate || spec.zero ? BraceFit::no_number
                                         : brace::fit_flags(spec, false, true, false);
    case FieldType::f32:
    case FieldType::f64:
    case FieldType::f80:
      if (spec.type != '\0' && !brace::is_any_of(spec.type, "aAeEfFgG")) {
        return BraceFit::other_type;
      }
      return brace::fit_flags(spec, true, true, true);
    case FieldType::pointer:
      if (spec.type != '\0' && spec.type != 'p') return BraceFit::other_type;
      return brace::fit_flags(spec, false, false, false);
    case FieldType::string:
    case FieldType::bytes:
      return brace::fit_text(spec);
    case FieldType::enumeration:
      return brace::is_number_type(spec.type) ? brace::fit_integer(spec, true)
                                              : brace::fit_text(spec);
    default:
      return brace::fit_integer(spec, is_signed(element_type(type)));
  }
}

}  // namespace ringside::shm
