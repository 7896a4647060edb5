#include "tools/interop/netlogger/netlogger_value_types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/interop/netlogger/netlogger_messages.hpp"

namespace ringside::tool::netlogger {
namespace {

using shm::FieldType;

std::uint8_t type_of_signed(const trace::Value& value, bool may_extend) {
  if (value.i64 == static_cast<std::int32_t>(value.i64)) return kInt;
  return may_extend ? kInt64 : kString;
}

std::uint8_t type_of_unsigned(const trace::Value& value, bool may_extend) {
  if (value.u64 <= std::uint64_t{std::numeric_limits<std::int32_t>::max()}) return kInt;
  if (!may_extend) return kString;
  return value.type == FieldType::u32 ? kUint32 : kUint64;
}

std::uint8_t type_of_floating(double number, bool may_extend) {
  const auto rounded = static_cast<float>(number);
  if (!std::isfinite(number) || static_cast<double>(rounded) == number) return kFloat;
  if (may_extend) return kDouble;
  return std::isfinite(rounded) ? kFloat : kString;
}

}  // namespace

std::optional<double> floating(const trace::Value& value) {
  if (value.type == FieldType::f32) return static_cast<double>(value.f32);
  if (value.type == FieldType::f64) return value.f64;
  if (value.type == FieldType::f80) return static_cast<double>(value.as_f80().value_or(0));
  return std::nullopt;
}

std::uint8_t type_of(const trace::Value& value, TypeChoice choice) {
  const bool may_extend = choice == TypeChoice::kExtended;
  switch (value.type) {
    case FieldType::boolean:
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::u8:
    case FieldType::u16:
      return kInt;
    case FieldType::i64:
      return type_of_signed(value, may_extend);
    case FieldType::u32:
    case FieldType::u64:
      return type_of_unsigned(value, may_extend);
    case FieldType::f32:
      return kFloat;
    case FieldType::f64:
      return type_of_floating(value.f64, may_extend);
    case FieldType::f80: {
      // What is beyond the range of 64 bits is not an infinity.
      const double number = *floating(value);
      const bool is_beyond = std::isinf(number) && !std::isinf(value.as_f80().value_or(0));
      return is_beyond ? kString : type_of_floating(number, may_extend);
    }
    default:
      return kString;
  }
}

std::uint8_t type_of_both(std::uint8_t one, std::uint8_t other) {
  // The numbers of the types that a field can have rise with their width, except STRING's.
  if (one == kString || other == kString) return kString;
  return std::max(one, other);
}

}  // namespace ringside::tool::netlogger
