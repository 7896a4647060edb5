#include "trace-format/condition/where_value.hpp"

#include <compare>
#include <limits>

namespace ringside::trace {
namespace {

using shm::FieldType;

WhereNumber number_of(const Value& value) {
  switch (value.type) {
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
    case FieldType::enumeration:
      return WhereNumber::of_integer(value.i64);
    case FieldType::i128:
      return WhereNumber::of_integer(value.as_i128().value_or(0));
    case FieldType::u128: {
      const UInt128 number = value.as_u128().value_or(0);
      const auto top = static_cast<unsigned>(number >> 127);
      if (top != 0) return WhereNumber::of_real(static_cast<long double>(number));
      return WhereNumber::of_integer(static_cast<Int128>(number));
    }
    case FieldType::f32:
    case FieldType::f64:
    case FieldType::f80:
      return WhereNumber::of_real(value.as_f80().value_or(0));
    default:
      return WhereNumber::of_integer(static_cast<Int128>(value.u64));
  }
}

bool holds(WhereOp op, std::partial_ordering order) {
  switch (op) {
    case WhereOp::kEqual:
      return std::is_eq(order);
    case WhereOp::kNotEqual:
      return std::is_neq(order);
    case WhereOp::kLess:
      return std::is_lt(order);
    case WhereOp::kLessEqual:
      return std::is_lteq(order);
    case WhereOp::kGreater:
      return std::is_gt(order);
    default:
      return std::is_gteq(order);
  }
}

bool has_number(const WhereValue& value) {
  return value.type == WhereType::kNumber || value.type == WhereType::kNumberAndText;
}

WhereNumber number_or_truth(const WhereValue& value) {
  return value.type == WhereType::kBoolean ? WhereNumber::of_integer(value.boolean ? 1 : 0)
                                           : value.number;
}

}  // namespace

std::string_view type_name(WhereType type) {
  switch (type) {
    case WhereType::kBoolean:
      return "true or false";
    case WhereType::kNumber:
      return "a number";
    case WhereType::kText:
      return "a text";
    case WhereType::kNumberAndText:
      return "a number with a name";
    case WhereType::kOther:
      break;
  }
  return "an array";
}

WhereType type_of_field(FieldType type, bool is_array) {
  if (is_array) return WhereType::kOther;
  switch (type) {
    case FieldType::boolean:
      return WhereType::kBoolean;
    case FieldType::character:
    case FieldType::enumeration:
      return WhereType::kNumberAndText;
    case FieldType::string:
    case FieldType::bytes:
      return WhereType::kText;
    case FieldType::none:
      return WhereType::kOther;
    default:
      return WhereType::kNumber;
  }
}

WhereValue WhereValue::of_boolean(bool boolean) {
  WhereValue value;
  value.known = true;
  value.type = WhereType::kBoolean;
  value.boolean = boolean;
  return value;
}

WhereValue WhereValue::of_number(WhereNumber number) {
  WhereValue value;
  value.known = true;
  value.type = WhereType::kNumber;
  value.number = number;
  return value;
}

WhereValue WhereValue::of_text(std::string_view text) {
  WhereValue value;
  value.known = true;
  value.type = WhereType::kText;
  value.text = text;
  return value;
}

WhereValue WhereValue::of_both(WhereNumber number, std::string_view text) {
  WhereValue value = of_text(text);
  value.type = WhereType::kNumberAndText;
  value.number = number;
  return value;
}

WhereValue WhereValue::of_field(const Value& value) {
  switch (type_of_field(value.type, shm::is_array(value.type))) {
    case WhereType::kBoolean:
      return of_boolean(value.u64 != 0);
    case WhereType::kNumber:
      return of_number(number_of(value));
    case WhereType::kText:
      return of_text(value.text);
    case WhereType::kNumberAndText: {
      WhereValue both = of_both(number_of(value), value.text);
      both.is_character = value.type == FieldType::character;
      both.character = static_cast<char>(value.u64);
      return both;
    }
    case WhereType::kOther:
      break;
  }
  return {};
}

WhereValue compare_values(WhereOp op, const WhereValue& a, const WhereValue& b) {
  if (!a.known || !b.known) return {};
  // Two values with both are compared by number: that is their order.
  const bool by_text =
      a.has_text() && b.has_text() && (a.type == WhereType::kText || b.type == WhereType::kText);
  if (by_text) return WhereValue::of_boolean(holds(op, a.shown_text() <=> b.shown_text()));
  const bool by_number = (has_number(a) || a.type == WhereType::kBoolean) &&
                         (has_number(b) || b.type == WhereType::kBoolean);
  if (!by_number) return {};
  return WhereValue::of_boolean(holds(op, compare(number_or_truth(a), number_or_truth(b))));
}

}  // namespace ringside::trace
