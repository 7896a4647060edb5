#pragma once
// The signature of a statement with a printf format.

#include <cstddef>
#include <cstdint>

#include "argument_kind.hpp"
#include "shm-layout/printf_spec.hpp"
#include "signature.hpp"

namespace ringside::detail {

// RINGSIDE_STRICT_PRINTF, defined before the first include, selects the rules of -Wformat: an
// integer must have the size of its conversion, and only char* is a string.
#ifdef RINGSIDE_STRICT_PRINTF
inline constexpr bool kStrictPrintf = true;
#else
inline constexpr bool kStrictPrintf = false;
#endif

constexpr bool is_integer_kind(ArgumentKind kind) {
  return kind == ArgumentKind::integer || kind == ArgumentKind::boolean ||
         kind == ArgumentKind::character || kind == ArgumentKind::wide_character;
}

struct MatchedField {
  shm::FieldType type = shm::FieldType::none;
  Mismatch mismatch = Mismatch::none;
};

constexpr MatchedField match_integer(const shm::PrintfSpec& spec, const Argument& argument,
                                     bool strict) {
  const bool is_enumeration = argument.kind == ArgumentKind::enumeration && !strict;
  if (!is_integer_kind(argument.kind) && !is_enumeration) {
    return {shm::FieldType::none, Mismatch::needs_integer};
  }
  if (argument.bytes > 8) return {shm::FieldType::none, Mismatch::needs_support};
  const bool is_signed = spec.conversion == 'd' || spec.conversion == 'i';
  switch (spec.length) {
    case shm::LengthModifier::none:
      if (strict && argument.bytes != sizeof(int)) break;
      return {integer_field(argument.bytes, is_signed), Mismatch::none};
    case shm::LengthModifier::h:
    case shm::LengthModifier::hh:
      if (argument.bytes != sizeof(int)) break;  // it would be cut
      return {spec.field_type, Mismatch::none};
    default:
      if (strict && argument.bytes != sizeof(long)) break;
      return {spec.field_type, Mismatch::none};
  }
  return {shm::FieldType::none, Mismatch::needs_this_size};
}

constexpr MatchedField match_text(const shm::PrintfSpec& spec, const Argument& argument,
                                  bool strict) {
  if (spec.wide) {
    const bool fits = argument.kind == ArgumentKind::wide_pointer;
    return {spec.field_type, fits ? Mismatch::none : Mismatch::needs_wide_text};
  }
  switch (argument.kind) {
    case ArgumentKind::text_pointer:
      return {spec.field_type, Mismatch::none};
    case ArgumentKind::text:
    case ArgumentKind::path:
    case ArgumentKind::made_text:
      if (strict) break;
      return {spec.field_type, Mismatch::none};
    case ArgumentKind::enumeration:
      if (strict) break;
      return {shm::FieldType::enumeration, Mismatch::none};
    default:
      break;
  }
  return {shm::FieldType::none, Mismatch::needs_text};
}

constexpr MatchedField match_floating(const shm::PrintfSpec& spec, const Argument& argument) {
  const bool is_long = spec.length == shm::LengthModifier::L;
  switch (argument.kind) {
    case ArgumentKind::f32:
    case ArgumentKind::f64:
      return {spec.field_type, is_long ? Mismatch::needs_long_double : Mismatch::none};
    case ArgumentKind::f80:
      return {spec.field_type, is_long ? Mismatch::none : Mismatch::needs_double};
    default:
      return {shm::FieldType::none, Mismatch::needs_floating};
  }
}

constexpr MatchedField match_printf(const shm::PrintfSpec& spec, const Argument& argument,
                                    bool strict) {
  switch (spec.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
      return match_integer(spec, argument, strict);
    case 'c':
    case 'C': {
      const bool is_int = is_integer_kind(argument.kind) && argument.bytes == sizeof(int);
      return {spec.field_type, is_int ? Mismatch::none : Mismatch::needs_character};
    }
    case 's':
    case 'S':
      return match_text(spec, argument, strict);
    case 'p': {
      const bool fits = argument.kind == ArgumentKind::pointer ||
                        argument.kind == ArgumentKind::text_pointer ||
                        argument.kind == ArgumentKind::wide_pointer;
      return {spec.field_type, fits ? Mismatch::none : Mismatch::needs_pointer};
    }
    default:
      return match_floating(spec, argument);
  }
}

// `arguments`: those after the format.
constexpr Signature printf_signature(shm::FormatText format, const Argument* arguments,
                                     std::size_t count, bool strict) {
  Signature result;
  const auto fail = [&result](Mismatch mismatch, const shm::PrintfSpec& spec, char conversion) {
    result.mismatch = mismatch;
    result.conversion = conversion;
    result.argument = static_cast<std::uint16_t>(result.count + 1);
    result.position = spec.begin;
  };
  shm::PrintfParser parser(format);
  shm::PrintfSpec spec;
  while (parser.next(spec)) {
    if (spec.conversion == '%') continue;
    const int stars = (spec.width_kind == shm::WidthKind::argument ? 1 : 0) +
                      (spec.precision_kind == shm::WidthKind::argument ? 1 : 0);
    for (int star = 0; star < stars; ++star) {
      if (result.count == count) {
        fail(Mismatch::too_few_arguments, spec, '*');
        return result;
      }
      const Argument& argument = arguments[result.count];
      if (!is_integer_kind(argument.kind) || argument.bytes != sizeof(int)) {
        fail(Mismatch::needs_int, spec, '*');
        return result;
      }
      result.add(shm::FieldType::i32, false, 0);
    }
    if (result.count == count) {
      fail(Mismatch::too_few_arguments, spec, spec.conversion);
      return result;
    }
    const MatchedField field = match_printf(spec, arguments[result.count], strict);
    if (field.mismatch != Mismatch::none) {
      fail(field.mismatch, spec, spec.conversion);
      return result;
    }
    const bool is_string = spec.conversion == 's' || spec.conversion == 'S';
    const bool is_limited = is_string && spec.precision_kind != shm::WidthKind::none;
    const std::int32_t limit =
        spec.precision_kind == shm::WidthKind::argument ? -result.count : spec.precision;
    result.add(field.type, is_limited, is_limited ? limit : 0);
  }
  if (parser.error() != shm::PrintfError::none) {
    result.mismatch = Mismatch::invalid_format;
    result.format_error = static_cast<std::uint8_t>(parser.error());
    result.conversion = spec.conversion;
    result.position = parser.error_offset();
  } else if (result.count != count) {
    result.mismatch = Mismatch::too_many_arguments;
    result.argument = static_cast<std::uint16_t>(result.count + 1);
  }
  return result;
}

}  // namespace ringside::detail
