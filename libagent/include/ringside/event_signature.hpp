#pragma once
// The signature of an event: its arguments in their order. Literals are constant fields.

#include <cstddef>
#include <cstdint>

#include "argument_fields.hpp"
#include "argument_texts.hpp"
#include "signature.hpp"

namespace ringside::detail {

// Types of literals whose values the library reads from the source text.
constexpr bool is_literal_type(shm::FieldType type) {
  switch (type) {
    case shm::FieldType::boolean:
    case shm::FieldType::character:
    case shm::FieldType::i32:
    case shm::FieldType::i64:
    case shm::FieldType::u32:
    case shm::FieldType::u64:
    case shm::FieldType::f32:
    case shm::FieldType::f64:
    case shm::FieldType::string:
      return true;
    default:
      return false;
  }
}

// `texts`: the source text of the name and the arguments.
constexpr Signature event_signature(shm::FormatText name, const ArgumentField* arguments,
                                    std::size_t count, const FieldSequence& fields,
                                    shm::FormatText texts) {
  Signature result;
  const auto fail = [&result](Mismatch mismatch, std::size_t index) {
    result.mismatch = mismatch;
    result.argument = static_cast<std::uint16_t>(index + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!arguments[i].is_unknown) continue;
    fail(Mismatch::needs_support, i);
    return result;
  }
  constexpr std::size_t kNoArgument = SIZE_MAX;  // its number is 0
  if (name.size() == 0) fail(Mismatch::empty_name, kNoArgument);
  if (fields.is_too_deep) fail(Mismatch::too_deep, kNoArgument);
  if (fields.is_too_long) fail(Mismatch::too_many_fields, kNoArgument);
  if (result.mismatch != Mismatch::none) return result;
  ArgumentTexts split(texts, count);
  std::size_t field = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_constant =
        is_literal_type(arguments[i].type) && split.is_literal(i, arguments[i].type);
    result.has_types = result.has_types || arguments[i].has_parts;
    for (const std::size_t end = field + arguments[i].field_count; field < end; ++field) {
      result.add_typed(fields.types[field], is_constant);
    }
  }
  return result;
}

// That of an event whose first value is a number.
constexpr Signature histogram_signature(Signature event) {
  const shm::FieldType type = field_type(event.code(0));
  const bool is_number = shm::is_integer(type) || type == shm::FieldType::boolean ||
                         type == shm::FieldType::f32 || type == shm::FieldType::f64 ||
                         type == shm::FieldType::f80;
  if (event.mismatch == Mismatch::none && !(event.count > 0 && is_number)) {
    event.mismatch = Mismatch::needs_sample;
    event.argument = event.count > 0 ? 1 : 0;
  }
  return event;
}

}  // namespace ringside::detail
