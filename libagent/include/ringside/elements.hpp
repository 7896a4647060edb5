#pragma once
// What is recorded as an array: an iterator, a number of elements, and which part of each.

#include "required_platform.h"
// Before all others.
#include <cstddef>
#include <cstdint>
#include <string.h>
#include <type_traits>
#include <utility>

#include "argument_kind.hpp"
#include "composite.hpp"

namespace ringside::detail {

template <class T>
inline constexpr bool is_character_array = false;
template <std::size_t kBytes>
inline constexpr bool is_character_array<char[kBytes]> = true;

template <class T>
inline constexpr bool is_fixed_array = false;
template <class T, std::size_t kCount>
inline constexpr bool is_fixed_array<T[kCount]> = !is_one_of<T, char, wchar_t, Utf8Character>;

// The text of a character array, which need not be terminated.
class BoundedText {
 public:
  using traits_type = void;  // a text: see is_text
  explicit BoundedText(const char* text, std::size_t most) : text_(text), most_(most) {}
  const char* data() const { return text_; }
  std::size_t size() const { return strnlen(text_, most_); }

 private:
  const char* text_;
  std::size_t most_;
};

// Which part of an element is recorded.
struct WholeElement {
  template <class T>
  static const T& of(const T& element) {
    return element;
  }
  template <std::size_t kBytes>
  static BoundedText of(const char (&text)[kBytes]) {
    return BoundedText(text, kBytes);
  }
};

// One value, or none: null.
template <class T, class = void>
struct Possible {
  static constexpr bool kIsKnown = false;
};

// std::optional. An std::expected, which has an error too, is not.
template <class T, class = void>
inline constexpr bool has_error = false;
template <class T>
inline constexpr bool has_error<T, VoidOf<typename T::error_type>> = true;
template <class T>
struct Possible<T, VoidOf<typename T::value_type, decltype(std::declval<const T&>().has_value()),
                          decltype(*std::declval<const T&>())>> {
  static constexpr bool kIsKnown = !has_error<T>;
  static auto value(const T& holder) {
    return holder.has_value() ? __builtin_addressof(*holder) : nullptr;
  }
};

// std::unique_ptr and std::shared_ptr, not those of arrays, whose lengths are unknown.
template <class T>
struct Possible<T, VoidOf<typename T::element_type, decltype(std::declval<const T&>().get()),
                          decltype(*std::declval<const T&>())>> {
  static constexpr bool kIsKnown = true;
  static auto value(const T& holder) { return holder.get(); }
};

template <class T>
using PossibleValue =
    std::remove_cv_t<std::remove_pointer_t<decltype(Possible<T>::value(std::declval<const T&>()))>>;

template <class T>
struct PartOf {
  using Of = WholeElement;
};
template <class Elements, class Of_>
struct PartOf<PartOfElements<Elements, Of_>> {
  using Of = Of_;
};

template <class T>
inline constexpr bool is_part = false;
template <class Elements, class Of>
inline constexpr bool is_part<PartOfElements<Elements, Of>> = true;

template <class T, class = void>
inline constexpr bool has_data = false;
template <class T>
inline constexpr bool has_data<T, VoidOf<decltype(*std::declval<const T&>().data())>> = true;

template <class T>
inline constexpr bool is_elements =
    is_fixed_array<T> || is_part<T> || is_range<T> || Possible<T>::kIsKnown;

// Whether T is a value that may be absent and is an array itself: no element if it is absent.
template <class T>
constexpr bool is_possible_array() {
  if constexpr (!is_range<T> && Possible<T>::kIsKnown) {
    using Value = PossibleValue<T>;
    return argument_of<Value>().kind == ArgumentKind::unsupported && !Composite<Value>::kIsKnown &&
           is_elements<Value>;
  } else {
    return false;
  }
}

template <class T>
auto elements_begin(const T& argument) {
  if constexpr (is_fixed_array<T>) {
    return &argument[0];
  } else if constexpr (is_part<T>) {
    return elements_begin(argument.elements);
  } else if constexpr (is_range<T> && has_data<T>) {
    return argument.data();
  } else if constexpr (is_range<T>) {
    return argument.begin();
  } else if constexpr (is_possible_array<T>()) {
    const auto* const value = Possible<T>::value(argument);
    return value != nullptr ? elements_begin(*value) : decltype(elements_begin(*value))();
  } else {
    return Possible<T>::value(argument);
  }
}
template <class T>
std::size_t elements_count(const T& argument) {
  if constexpr (is_fixed_array<T>) {
    return sizeof argument / sizeof argument[0];
  } else if constexpr (is_part<T>) {
    return elements_count(argument.elements);
  } else if constexpr (is_range<T>) {
    return argument.size();
  } else if constexpr (is_possible_array<T>()) {
    const auto* const value = Possible<T>::value(argument);
    return value != nullptr ? elements_count(*value) : 0;
  } else {
    return Possible<T>::value(argument) != nullptr ? 1 : 0;
  }
}

template <class T>
using ElementOf =
    std::decay_t<decltype(PartOf<T>::Of::of(*elements_begin(std::declval<const T&>())))>;

}  // namespace ringside::detail
