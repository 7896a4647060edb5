#include "trace-format/condition/where_condition.hpp"

#include <compare>
#include <stdexcept>

#include <fmt/format.h>

#include "trace-format/condition/field_name.hpp"

namespace ringside::trace {
namespace {

struct Misfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool may_be_number(WhereType type) {
  return type == WhereType::kNumber || type == WhereType::kNumberAndText;
}

bool may_be_text(WhereType type) {
  return type == WhereType::kText || type == WhereType::kNumberAndText;
}

bool comparable(WhereType a, WhereType b) {
  if (may_be_text(a) && may_be_text(b)) return true;
  const auto counts = [](WhereType t) { return may_be_number(t) || t == WhereType::kBoolean; };
  return counts(a) && counts(b);
}

WhereType type_of_property(PropertyType type) {
  switch (type) {
    case PropertyType::kNumber:
      return WhereType::kNumber;
    case PropertyType::kText:
      return WhereType::kText;
    case PropertyType::kNumberAndText:
      return WhereType::kNumberAndText;
    case PropertyType::kBoolean:
      break;
  }
  return WhereType::kBoolean;
}

[[noreturn]] void misfit(const WhereNode& node, std::string_view what) {
  throw Misfit(fmt::format("at character {}: {}", node.at + 1, what));
}

}  // namespace

std::string WhereCondition::fault(const WhereExpression& expression) {
  // Fields could have any type. Without fields everything is known.
  if (!expression.field_names.empty()) return {};
  try {
    const WhereCondition condition(expression, nullptr);
    const WhereType type = condition.type_of(expression.root);
    if (type == WhereType::kBoolean) return {};
    return fmt::format("the result is {}, expected a condition; add a comparison", type_name(type));
  } catch (const Misfit& why) {
    return why.what();
  }
}

std::optional<WhereCondition> WhereCondition::of_site(const WhereExpression& expression,
                                                      const Site& site, std::string* why,
                                                      const Site* context) {
  WhereCondition condition(expression, &site);
  condition.context_ = context;
  for (const std::string& name : expression.field_names) {
    auto field = find_field(site, name);
    const bool is_in_context = !field && context != nullptr;
    if (is_in_context) field = find_field(*context, name);
    if (!field) return {};
    condition.places_.push_back({*field, is_in_context});
    if (!is_in_context) condition.fields_.push_back(*field);
  }
  if ((expression.properties & property_bit(Property::kProcessor)) != 0) {
    condition.processor_ = processor_field(site);
    if (condition.processor_) condition.fields_.push_back(*condition.processor_);
  }
  try {
    const WhereType type = condition.type_of(expression.root);
    if (type != WhereType::kBoolean) {
      misfit(expression.root,
             fmt::format("expected a condition, found {}; add a comparison", type_name(type)));
    }
  } catch (const Misfit& misfit) {
    *why = misfit.what();
    return {};
  }
  const WhereValue decided = condition.value_of(expression.root, {});
  if (decided.known && !decided.boolean) return {};
  return condition;
}

bool WhereCondition::matches(const Event& event, std::string_view message) const {
  Digits digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  const WhereValue value = value_of(expression_->root, {&event, message, &digits});
  return value.known && value.boolean;
}

WhereType WhereCondition::type_of_name(const WhereNode& node) const {
  switch (node.op) {
    case WhereOp::kField: {
      const Field& field = field_at(places_[node.slot]);
      return type_of_field(field.type, field.is_array);
    }
    case WhereOp::kProperty:
      return type_of_property(entry_of(node.property).type);
    default:
      return WhereType::kText;
  }
}

WhereType WhereCondition::type_of(const WhereNode& node) const {
  switch (node.op) {
    case WhereOp::kNumber:
      return WhereType::kNumber;
    case WhereOp::kBoolean:
      return WhereType::kBoolean;
    case WhereOp::kNot:
    case WhereOp::kAnd:
    case WhereOp::kOr:
      for (const WhereNode& part : node.parts) {
        const WhereType type = type_of(part);
        if (type == WhereType::kBoolean) continue;
        misfit(part,
               fmt::format("expected a condition, found {}; add a comparison", type_name(type)));
      }
      return WhereType::kBoolean;
    case WhereOp::kNegate:
    case WhereOp::kAdd:
    case WhereOp::kSubtract:
    case WhereOp::kMultiply:
    case WhereOp::kDivide:
    case WhereOp::kBitAnd:
      for (const WhereNode& part : node.parts) {
        const WhereType type = type_of(part);
        if (may_be_number(type)) continue;
        misfit(part, fmt::format("cannot calculate with {}; use a number", type_name(type)));
      }
      return WhereType::kNumber;
    case WhereOp::kEqual:
    case WhereOp::kNotEqual:
    case WhereOp::kLess:
    case WhereOp::kLessEqual:
    case WhereOp::kGreater:
    case WhereOp::kGreaterEqual:
    case WhereOp::kIn: {
      const WhereType first = type_of(node.parts.front());
      for (std::size_t i = 1; i < node.parts.size(); ++i) {
        const WhereType other = type_of(node.parts[i]);
        if (comparable(first, other)) continue;
        misfit(node, fmt::format("cannot compare {} with {}; compare numbers with numbers and "
                                 "texts with quoted texts",
                                 type_name(first), type_name(other)));
      }
      return WhereType::kBoolean;
    }
    case WhereOp::kMatches:
    case WhereOp::kNotMatches: {
      const WhereType type = type_of(node.parts.front());
      if (may_be_text(type)) return WhereType::kBoolean;
      misfit(node,
             fmt::format("cannot match {} with a regular expression; use a text", type_name(type)));
    }
    default:
      return type_of_name(node);
    case WhereOp::kText:
      return WhereType::kText;
  }
}

WhereValue WhereCondition::value_of_name(const WhereNode& node, const Facts& facts) const {
  const Event* const event = facts.event;
  switch (node.op) {
    case WhereOp::kProperty:
      return value_of_property(node.property, facts);
    case WhereOp::kField: {
      const Place place = places_[node.slot];
      if (event == nullptr) {
        const Site& site = place.is_in_context ? *context_ : *site_;
        const bool is_constant = site.fields[place.field].is_constant();
        return is_constant ? WhereValue::of_field(site.initial_values[place.field]) : WhereValue();
      }
      std::span<const Value> values = event->record.args;
      if (place.is_in_context) {
        const RecordContext* const context = event->record.context;
        values = context != nullptr ? std::span<const Value>(context->args) : values.first(0);
      }
      return place.field < values.size() ? WhereValue::of_field(values[place.field]) : WhereValue();
    }
    default:  // kMessage
      return event == nullptr ? WhereValue() : WhereValue::of_text(facts.message);
  }
}

// A record without the property: its texts are empty, and cut is false; a missing number meets no
// comparison.
WhereValue WhereCondition::value_of_property(Property property, const Facts& facts) const {
  const PropertyEntry& entry = entry_of(property);
  const Event* const event = facts.event;
  PropertySource source;
  if (event != nullptr) {
    source = PropertySource::of(*event);
    if (processor_ && *processor_ < event->record.args.size()) {
      source.processor = &event->record.args[*processor_];
    }
  } else if (!entry.of_statement) {
    return {};
  }
  source.site = site_;
  const PropertyValue value = read_property(property, source);
  if (entry.type == PropertyType::kBoolean) {
    return WhereValue::of_boolean(value && value.number != 0);
  }
  if (entry.type == PropertyType::kNumber) {
    if (!value) return {};
    return WhereValue::of_number(WhereNumber::of_integer(static_cast<Int128>(value.number)));
  }
  if (property == Property::kThread) {
    const PropertyValue id = read_property(Property::kThreadId, source);
    return WhereValue::of_both(WhereNumber::of_integer(static_cast<Int128>(id.number)), value.text);
  }
  if (value.type != PropertyValue::Type::kId) return WhereValue::of_text(value.text);
  if (facts.digits == nullptr) return {};  // statements have no ids
  auto& digits = property == Property::kActivity ? facts.digits->activity : facts.digits->related;
  write_activity(value.id, digits.data());
  return WhereValue::of_text({digits.data(), digits.size()});
}

WhereValue WhereCondition::logic(const WhereNode& node, const Facts& facts) const {
  const bool deciding = node.op == WhereOp::kOr;
  bool all_known = true;
  for (const WhereNode& part : node.parts) {
    const WhereValue value = value_of(part, facts);
    if (value.known && value.boolean == deciding) return value;
    all_known = all_known && value.known;
  }
  return all_known ? WhereValue::of_boolean(!deciding) : WhereValue();
}

WhereValue WhereCondition::arithmetic(const WhereNode& node, const Facts& facts) const {
  const WhereValue a = value_of(node.parts[0], facts);
  if (!a.known) return {};
  if (node.op == WhereOp::kNegate) {
    return WhereValue::of_number(subtract(WhereNumber::of_integer(0), a.number));
  }
  const WhereValue b = value_of(node.parts[1], facts);
  if (!b.known) return {};
  switch (node.op) {
    case WhereOp::kAdd:
      return WhereValue::of_number(add(a.number, b.number));
    case WhereOp::kSubtract:
      return WhereValue::of_number(subtract(a.number, b.number));
    case WhereOp::kMultiply:
      return WhereValue::of_number(multiply(a.number, b.number));
    case WhereOp::kBitAnd:
      if (!a.number.is_integer || !b.number.is_integer) return {};
      return WhereValue::of_number(WhereNumber::of_integer(a.number.integer & b.number.integer));
    default:
      break;
  }
  if (std::is_eq(compare(b.number, WhereNumber::of_integer(0)))) return {};
  return WhereValue::of_number(divide(a.number, b.number));
}

WhereValue WhereCondition::member(const WhereNode& node, const Facts& facts) const {
  const WhereValue wanted = value_of(node.parts.front(), facts);
  bool all_known = wanted.known;
  for (std::size_t i = 1; i < node.parts.size(); ++i) {
    const WhereValue equal =
        compare_values(WhereOp::kEqual, wanted, value_of(node.parts[i], facts));
    if (equal.known && equal.boolean) return equal;
    all_known = all_known && equal.known;
  }
  return all_known ? WhereValue::of_boolean(false) : WhereValue();
}

WhereValue WhereCondition::value_of(const WhereNode& node, const Facts& facts) const {
  switch (node.op) {
    case WhereOp::kNumber:
      return WhereValue::of_number(node.number);
    case WhereOp::kText:
      return WhereValue::of_text(node.text);
    case WhereOp::kBoolean:
      return WhereValue::of_boolean(node.boolean);
    case WhereOp::kNot: {
      WhereValue value = value_of(node.parts.front(), facts);
      value.boolean = !value.boolean;
      return value;
    }
    case WhereOp::kAnd:
    case WhereOp::kOr:
      return logic(node, facts);
    case WhereOp::kNegate:
    case WhereOp::kAdd:
    case WhereOp::kSubtract:
    case WhereOp::kMultiply:
    case WhereOp::kDivide:
    case WhereOp::kBitAnd:
      return arithmetic(node, facts);
    case WhereOp::kEqual:
    case WhereOp::kNotEqual:
    case WhereOp::kLess:
    case WhereOp::kLessEqual:
    case WhereOp::kGreater:
    case WhereOp::kGreaterEqual:
      return compare_values(node.op, value_of(node.parts[0], facts),
                            value_of(node.parts[1], facts));
    case WhereOp::kMatches:
    case WhereOp::kNotMatches: {
      const WhereValue value = value_of(node.parts.front(), facts);
      if (!value.known) return {};
      const bool found = node.expression.matches(value.shown_text());
      return WhereValue::of_boolean(found == (node.op == WhereOp::kMatches));
    }
    case WhereOp::kIn:
      return member(node, facts);
    default:
      return value_of_name(node, facts);
  }
}

}  // namespace ringside::trace
