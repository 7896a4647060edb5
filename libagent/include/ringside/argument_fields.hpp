#pragma once
// The fields that an argument records, whatever its type: one, or those of its parts.

#include <cstddef>
#include <cstdint>
#include <string.h>
#include <type_traits>

#include "abi.h"
#include "argument_kind.hpp"
#include "composite.hpp"
#include "element_parts.hpp"
#include "elements.hpp"
#include "enum_names.hpp"
#include "shm-layout/field_type.hpp"
#include "signature.hpp"
#include "stored_array.hpp"
#include "variant_parts.hpp"

namespace ringside::detail {

// The field that records an argument as it is; none: no style can record it.
constexpr shm::FieldType natural_field(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::boolean:
      return shm::FieldType::boolean;
    case ArgumentKind::character:
      return shm::FieldType::character;
    case ArgumentKind::integer:
    case ArgumentKind::enumeration:
      return integer_field(argument.exact_bytes, argument.exact_signed);
    case ArgumentKind::f32:
      return shm::FieldType::f32;
    case ArgumentKind::f64:
      return shm::FieldType::f64;
    case ArgumentKind::f80:
      return shm::FieldType::f80;
    case ArgumentKind::text_pointer:
    case ArgumentKind::wide_pointer:
    case ArgumentKind::text:
    case ArgumentKind::path:
    case ArgumentKind::made_text:
      return shm::FieldType::string;
    case ArgumentKind::pointer:
      return shm::FieldType::pointer;
    case ArgumentKind::wide_character:
    case ArgumentKind::unsupported:
      break;
  }
  return shm::FieldType::none;
}

// Enumerations without scope have names if their type is fixed: only then is every value valid.
template <class T, class = void>
inline constexpr bool is_fixed_enumeration = false;
template <class T>
inline constexpr bool is_fixed_enumeration<T, std::void_t<decltype(T{0})>> = std::is_enum_v<T>;
template <class T, class = void>
inline constexpr bool has_listed_names = false;
template <class T>
inline constexpr bool
    has_listed_names<T, std::void_t<decltype(rs_enumerators(static_cast<T*>(nullptr)))>> = true;
template <class T>
constexpr bool is_named_enumeration() {
  if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
    return is_fixed_enumeration<T> || has_listed_names<T>;
  } else {
    return false;
  }
}

// The field of an argument without parts.
template <class T>
constexpr shm::FieldType field_of();

// That of an array's element. Names of enumerations are not shown in arrays.
template <class T>
constexpr shm::FieldType element_field() {
  constexpr Argument argument = argument_of<T>();
  return argument.kind == ArgumentKind::wide_pointer ? shm::FieldType::none
                                                     : natural_field(argument);
}

template <class T>
constexpr shm::FieldType field_of() {
  constexpr Argument argument = argument_of<T>();
  if constexpr (std::is_same_v<T, std::byte>) {
    return shm::FieldType::u8;
  } else if constexpr (is_named_enumeration<T>()) {
    return shm::FieldType::enumeration;
  } else if constexpr (argument.kind != ArgumentKind::unsupported) {
    return natural_field(argument);
  } else if constexpr (std::is_same_v<T, BytesView>) {
    return shm::FieldType::bytes;
  } else if constexpr (is_character_array<T>) {
    return shm::FieldType::string;
  } else if constexpr (is_elements<T>) {
    constexpr shm::FieldType kElement = element_field<ElementOf<T>>();
    if constexpr (is_array_of_bytes<T>()) {
      return shm::FieldType::bytes;
    } else {
      return kElement == shm::FieldType::none ? kElement : shm::array_of(kElement);
    }
  } else {
    return shm::FieldType::none;
  }
}

// What a record can count; it is cut to less anyway.
constexpr std::uint32_t bounded_count(std::size_t count) {
  return static_cast<std::uint32_t>(count < UINT32_MAX ? count : UINT32_MAX);
}

// An argument or part in the form in which passed() takes it, or already passed.
template <class T>
[[gnu::always_inline]] inline decltype(auto) leaf_of(const T& argument) {
  if constexpr (is_character_array<T>) {
    return TextView{argument, strnlen(argument, sizeof argument)};
  } else if constexpr (field_of<T>() == shm::FieldType::bytes && !std::is_same_v<T, BytesView>) {
    return BytesView{elements_begin(argument), elements_count(argument)};
  } else if constexpr (argument_of<T>().kind == ArgumentKind::unsupported && is_elements<T>) {
    constexpr shm::FieldType kElement = element_field<ElementOf<T>>();
    using Iterator = decltype(elements_begin(argument));
    return Elements<Iterator, kElement, typename PartOf<T>::Of>{
        elements_begin(argument), bounded_count(elements_count(argument))};
  } else {
    return (argument);
  }
}

template <class T>
inline constexpr bool is_passed = is_one_of<T, TextView, BytesView>;
template <class Iterator, shm::FieldType kElement, class Of>
inline constexpr bool is_passed<Elements<Iterator, kElement, Of>> = true;

inline constexpr int kMaxNesting = 8;

// The fields of several arguments, in their order.
struct FieldSequence {
  shm::FieldType types[RS_MAX_FIELDS] = {};
  std::size_t count = 0;
  bool is_too_long = false;
  bool is_too_deep = false;
  bool has_unknown = false;

  constexpr void add(shm::FieldType type) {
    has_unknown = has_unknown || type == shm::FieldType::none;
    if (count == RS_MAX_FIELDS) {
      is_too_long = true;
    } else {
      types[count++] = type;
    }
  }

  template <class T>
  constexpr void add_fields_of(int depth) {
    if constexpr (is_composite<T>()) {
      add_parts(PartsOf<T>(), depth + 1);
    } else {
      add(field_of<T>());
    }
  }

 private:
  template <class... Parts>
  constexpr void add_parts(TypeList<Parts...> /*parts*/, int depth) {
    if (depth > kMaxNesting) {  // a type may have parts of its own type
      is_too_deep = true;
      return;
    }
    (add_fields_of<Parts>(depth), ...);
  }
};

// Of one argument. `type`: of its only field; none if it has parts, or cannot be recorded.
struct ArgumentField {
  shm::FieldType type = shm::FieldType::none;
  bool has_parts = false;
  bool is_unknown = false;  // it, or a part, cannot be recorded
  std::size_t field_count = 1;
};

template <class T>
constexpr ArgumentField argument_field() {
  if constexpr (is_composite<T>()) {
    FieldSequence fields;
    fields.add_fields_of<T>(0);
    return {shm::FieldType::none, true, fields.has_unknown, fields.count};
  } else {
    return {field_of<T>(), false, field_of<T>() == shm::FieldType::none, 1};
  }
}

// Of all arguments of a statement. Computed once for the same types.
template <class... Args>
constexpr FieldSequence field_sequence() {
  FieldSequence result;
  (result.template add_fields_of<Args>(0), ...);
  return result;
}
template <class... Args>
inline constexpr FieldSequence kFieldSequence = field_sequence<Args...>();
template <class... Args>
inline constexpr ArgumentField kArgumentFields[sizeof...(Args) + 1] = {argument_field<Args>()...};

// Names of parts and of enumerations; null for other single fields.
template <class T>
constexpr const rs_shape* shape_of();

template <class E>
struct EnumShape {
  [[gnu::visibility("hidden")]] static constexpr rs_shape kShape = {nullptr, nullptr, nullptr, 0,
                                                                    &EnumTable<E>::table};
};
template <class T, class Parts>
struct CompositeShape;
template <class T, class... Parts>
struct CompositeShape<T, TypeList<Parts...>> {
  [[gnu::visibility("hidden")]] static constexpr const rs_shape* kParts[sizeof...(Parts) + 1] = {
      shape_of<Parts>()...};
  [[gnu::visibility("hidden")]] static constexpr rs_shape kShape = {
      CompositeOf<T>::kNames, CompositeOf<T>::kText, kParts, sizeof...(Parts), nullptr};
};

template <class T>
constexpr const rs_shape* shape_of() {
  if constexpr (is_composite<T>()) {
    return &CompositeShape<T, PartsOf<T>>::kShape;
  } else if constexpr (field_of<T>() == shm::FieldType::enumeration) {
    return &EnumShape<T>::kShape;
  } else {
    return nullptr;
  }
}

}  // namespace ringside::detail
