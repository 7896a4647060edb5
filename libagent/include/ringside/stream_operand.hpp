#pragma once
// The operands of a statement in stream style, collected by operator<<.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>
#include <utility>

#include "argument_kind.hpp"
#include "brace_signature.hpp"
#include "stored_argument.hpp"
#include "stream_site.hpp"
#include "stream_value.hpp"

namespace ringside::detail {

// An array of constant characters: a literal, unless its address changes between executions.
struct StreamText {
  const char* text;
  std::size_t bytes;
  static constexpr bool kIsField = false;
  static constexpr rs_stream_operand kOperand = RS_STREAM_TEXT;
  static constexpr std::uint8_t kType = shm::code(shm::FieldType::string);

  rs_stream_text as_text() const { return {nullptr, text, bytes}; }
};

// A value, in the form in which it is passed to the function that records it.
template <std::uint8_t kTypeCode, class PassedValue, rs_stream_operand kHow = RS_STREAM_PLAIN>
struct StreamField {
  using Passed = PassedValue;
  Passed value;
  static constexpr bool kIsField = true;
  static constexpr rs_stream_operand kOperand = kHow;
  static constexpr std::uint8_t kType = kTypeCode;
};

template <class... T>
struct Types {};
template <class List, class T>
struct Append;
template <class... L, class T>
struct Append<Types<L...>, T> {
  using type = Types<L..., T>;
};
template <bool kIsAppended, class List, class T>
using AppendIf =
    typename std::conditional_t<kIsAppended, Append<List, T>, std::enable_if<true, List>>::type;

// A stream with its operands until now. Each operand is in a base class of its own.
template <class Previous, class LastOperand>
struct Stream : Previous {
  using Operand = LastOperand;
  using All = typename Append<typename Previous::All, Stream>::type;
  using Fields = AppendIf<Operand::kIsField, typename Previous::Fields, Stream>;
  using Texts = AppendIf<!Operand::kIsField, typename Previous::Texts, Stream>;
  Operand operand;
};
struct NoOperand {};
// The style of RS_STREAM. Another style takes operands that this one refuses.
struct StreamStyle {};
template <class OwnStyle>
struct Stream<OwnStyle, NoOperand> {
  using Style = OwnStyle;
  using All = Types<>;
  using Fields = Types<>;
  using Texts = Types<>;
};

// Always false: the compiler's message names the type.
template <class Type>
inline constexpr bool is_recordable = false;
template <class Type>
inline constexpr bool is_no_manipulator = false;

// Whether it is a function, such as std::hex, or the result of std::setw() and its like, which only
// the compiler's name for the type tells. Used for messages alone.
template <class Type>
constexpr bool is_manipulator() {
  constexpr const char* kNames[] = {"Type = std::_Set", "Type = std::_Reset", "Type = std::__iom"};
  for (const char* text = __PRETTY_FUNCTION__; *text != '\0'; ++text) {
    for (const char* name : kNames) {
      const char* at = text;
      while (*name != '\0' && *at == *name) {
        ++at;
        ++name;
      }
      if (*name == '\0') return true;
    }
  }
  return std::is_function_v<std::remove_pointer_t<Type>>;
}

// Refuses an operand.
#define RS_REFUSE_STREAM_OPERAND_(Type_)                                                         \
  static_assert(                                                                                 \
      ::ringside::detail::is_manipulator<Type_>() || ::ringside::detail::is_recordable<Type_>,   \
      "RS_STREAM cannot record an operand of this type: list its members with "                  \
      "RS_ADAPT, specialise ringside::Fields, or pass ringside::streamed(x) of "                 \
      "<ringside/streamed.hpp>, which writes its text");                                         \
  static_assert(!::ringside::detail::is_manipulator<Type_>() ||                                  \
                    ::ringside::detail::is_no_manipulator<Type_>,                                \
                "RS_STREAM takes neither manipulators nor functions: remove std::endl; instead " \
                "of std::hex and others, use RS_FMT with a format such as {:x}")

// Whether an enumeration has an operator<< of its own: not one of those for its promoted value,
// which are members, nor one for characters, of which none is better than the others.
template <class T, class = void>
inline constexpr bool has_stream_operator = false;
template <class T>
inline constexpr bool has_stream_operator<
    T, std::void_t<decltype(operator<<(std::declval<std::ostream&>(), std::declval<const T&>()))>> =
    true;

// The field of a scalar; none: it is not recorded as it is.
template <class T>
constexpr shm::FieldType stream_field() {
  if constexpr (is_one_of<T, signed char, unsigned char>) {
    return shm::FieldType::character;  // as streams write them
  } else if constexpr (std::is_enum_v<T>) {
    using U = std::underlying_type_t<T>;
    if constexpr (is_one_of<U, char, signed char, unsigned char> &&
                  std::is_convertible_v<T, long long>) {
      return shm::FieldType::character;
    } else if constexpr (has_stream_operator<T>) {
      return shm::FieldType::none;
    } else {
      return natural_field(argument_of<T>());
    }
  } else if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
    return shm::FieldType::none;
  } else {
    return natural_field(argument_of<T>());
  }
}

constexpr rs_stream_operand stream_operand(shm::FieldType type) {
  switch (type) {
    case shm::FieldType::boolean:
      return RS_STREAM_FLAG;
    case shm::FieldType::f32:
    case shm::FieldType::f64:
    case shm::FieldType::f80:
      return RS_STREAM_NUMBER;
    default:
      return RS_STREAM_PLAIN;
  }
}

template <class Previous, class Last, class Operand>
[[gnu::always_inline]] inline Stream<Stream<Previous, Last>, Operand> appended(
    const Stream<Previous, Last>& stream, Operand operand) {
  return {stream, operand};
}

template <class T>
inline constexpr bool is_passed_by_value = std::is_scalar_v<T> || is_wide_int<T>;

// An operand that is not a scalar or a text.
template <class Previous, class Last, class T>
auto other_operand(const Stream<Previous, Last>& stream, const T& value) {
  using Style = typename Stream<Previous, Last>::Style;
  if constexpr (std::is_same_v<Style, StreamStyle> && !is_passed_by_value<T> &&
                is_stream_value<T>()) {
    return appended(stream, StreamValue<T>{&value});
  } else if constexpr (std::is_same_v<Style, StreamStyle>) {
    RS_REFUSE_STREAM_OPERAND_(T);
    return stream;
  } else {
    return Style::take(stream, value);
  }
}

// By value: scalars may be bit-fields, members of packed classes, or static constants without a
// definition.
template <class Previous, class Last, class T, std::enable_if_t<is_passed_by_value<T>, int> = 0>
[[gnu::always_inline]] inline auto operator<<(const Stream<Previous, Last>& stream, T value) {
  constexpr shm::FieldType kField = stream_field<T>();
  using Style = typename Stream<Previous, Last>::Style;
  if constexpr (std::is_enum_v<T> && std::is_same_v<Style, StreamStyle> &&
                !has_stream_operator<T> && is_stream_value<T>()) {
    return appended(stream, StreamValue<T>{value});
  } else if constexpr (kField != shm::FieldType::none) {
    constexpr std::uint8_t kType = shm::code(kField);
    const auto taken = passed<kType>(value, -1);
    return appended(
        stream, StreamField<kType, std::decay_t<decltype(taken)>, stream_operand(kField)>{taken});
  } else {
    return other_operand(stream, value);
  }
}

template <class Previous, class Last, class T,
          std::enable_if_t<!is_passed_by_value<T> && !std::is_array_v<T> && !std::is_function_v<T>,
                           int> = 0>
[[gnu::always_inline]] inline auto operator<<(const Stream<Previous, Last>& stream,
                                              const T& value) {
  constexpr std::uint8_t kString = shm::code(shm::FieldType::string);
  if constexpr (is_text<T>) {
    return appended(stream, StreamField<kString, TextView>{view_of(value, -1)});
  } else if constexpr (is_path<T>) {
    return appended(stream,
                    StreamField<kString, TextView, RS_STREAM_PATH>{view_of(value.native(), -1)});
  } else {
    return other_operand(stream, value);
  }
}

template <class Previous, class Last, std::size_t kBytes>
[[gnu::always_inline]] inline Stream<Stream<Previous, Last>, StreamText> operator<<(
    const Stream<Previous, Last>& stream, const char (&text)[kBytes]) {
  return appended(stream, StreamText{text, kBytes});
}

// A buffer.
template <class Previous, class Last, std::size_t kBytes>
[[gnu::always_inline]] inline auto operator<<(const Stream<Previous, Last>& stream,
                                              char (&text)[kBytes]) {
  return appended(stream, StreamField<shm::code(shm::FieldType::string), LimitedText>{
                              {text, static_cast<std::int64_t>(kBytes)}});
}

// Manipulators that are function templates, such as std::endl.
template <class Previous, class Last>
auto operator<<(const Stream<Previous, Last>& stream, std::ostream& (*manipulator)(std::ostream&)) {
  return other_operand(stream, manipulator);
}

}  // namespace ringside::detail
