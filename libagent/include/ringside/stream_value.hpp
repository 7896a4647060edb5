#pragma once
// Operands of streams whose type says how they are recorded: enumerations by name, arrays, and
// types with parts.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "argument_fields.hpp"
#include "stream_site.hpp"
#include "taken_fields.hpp"

namespace ringside::detail {

// Others than scalars live until the end of the statement.
template <class T>
struct StreamValue {
  std::conditional_t<std::is_scalar_v<T>, T, const T*> held;
  static constexpr bool kIsField = true;
  static constexpr rs_stream_operand kOperand = RS_STREAM_PLAIN;

  [[gnu::always_inline]] const T& value() const {
    if constexpr (std::is_scalar_v<T>) {
      return held;
    } else {
      return *held;
    }
  }
};

// Whether a stream records T in this way. Enumerations without scope are numbers, as streams write
// them.
template <class T>
constexpr bool is_stream_value() {
  if constexpr (std::is_enum_v<T>) {
    return is_named_enumeration<T>() && !std::is_convertible_v<T, long long>;
  } else if constexpr (argument_of<T>().kind != ArgumentKind::unsupported) {
    return argument_of<T>().kind == ArgumentKind::made_text;
  } else {
    constexpr FieldSequence kFields = kFieldSequence<T>;
    return !kFields.has_unknown && !kFields.is_too_deep && !kFields.is_too_long;
  }
}

// The fields of an operand.
template <class Operand>
struct OperandFields {
  static constexpr bool kIsPassed = true;
  static constexpr std::size_t kCount = 1;
  static constexpr std::uint8_t type(std::size_t /*field*/) { return Operand::kType; }
  static constexpr const rs_shape* shape() { return nullptr; }
};
template <class T>
struct OperandFields<StreamValue<T>> {
  static constexpr bool kIsPassed = false;
  static constexpr std::size_t kCount = kFieldSequence<T>.count;
  static constexpr std::uint8_t type(std::size_t field) {
    return shm::code(kFieldSequence<T>.types[field]);
  }
  static constexpr const rs_shape* shape() { return shape_of<T>(); }
};

// What TakenFields takes of an operand.
template <class Operand>
[[gnu::always_inline]] inline decltype(auto) taken_operand(const Operand& operand) {
  if constexpr (OperandFields<Operand>::kIsPassed) {
    return PassedField<typename Operand::Passed>{operand.value};
  } else {
    return operand.value();
  }
}

// Those of the types alone.
struct NaturalCodes {
  template <class T>
  static constexpr unsigned code(std::size_t /*field*/) {
    return shm::code(field_of<T>());
  }
};

}  // namespace ringside::detail
