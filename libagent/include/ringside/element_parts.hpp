#pragma once
// Arrays of types with parts: an array of each part.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "composite.hpp"
#include "elements.hpp"

namespace ringside::detail {

template <class T>
struct ElementParts;

// Whether the elements of T have parts. Elements that are arrays have none: arrays of arrays cannot
// be recorded.
template <class T>
constexpr bool has_parts_in_elements() {
  if constexpr (is_elements<T> && !Composite<T>::kIsKnown) {
    return argument_of<ElementOf<T>>().kind == ArgumentKind::unsupported &&
           Composite<ElementOf<T>>::kIsKnown;
  } else {
    return false;
  }
}

// Whether T is recorded as several fields, its parts.
template <class T>
constexpr bool is_composite() {
  if constexpr (argument_of<T>().kind == ArgumentKind::unsupported) {
    return Composite<T>::kIsKnown || has_parts_in_elements<T>();
  } else {
    return false;
  }
}

// Contiguous ones, which are a field of their own type.
template <class T>
constexpr bool is_array_of_bytes() {
  if constexpr (argument_of<T>().kind == ArgumentKind::unsupported && is_elements<T> &&
                !is_composite<T>()) {
    return std::is_same_v<ElementOf<T>, std::byte> &&
           std::is_pointer_v<decltype(elements_begin(std::declval<const T&>()))> &&
           std::is_same_v<typename PartOf<T>::Of, WholeElement>;
  } else {
    return false;
  }
}

template <class T>
using CompositeOf = std::conditional_t<Composite<T>::kIsKnown, Composite<T>, ElementParts<T>>;

// The types of the parts: arrays stay arrays.
template <class T>
using Part = std::conditional_t<std::is_array_v<T>, std::remove_cv_t<T>, std::decay_t<T>>;
struct PartTypes {
  template <class... T>
  TypeList<Part<T>...> operator()(const T&... /*parts*/) const {
    return {};
  }
};
template <class T>
using PartsOf = decltype(CompositeOf<T>::visit(std::declval<const T&>(), PartTypes()));

// Returns one of several parts: scalars, which may be bit-fields, and temporaries by value.
template <std::size_t kIndex>
struct Pick {
  template <class First, class... Rest>
  decltype(auto) operator()(First&& first, Rest&&... rest) const {
    using T = std::remove_cv_t<std::remove_reference_t<First>>;
    if constexpr (kIndex > 0) {
      return Pick<kIndex - 1>()(static_cast<Rest&&>(rest)...);
    } else if constexpr (is_character_array<T>) {
      return BoundedText(first, sizeof first);
    } else if constexpr (std::is_scalar_v<T> || is_wide_int<T> ||
                         !std::is_lvalue_reference_v<First>) {
      return T(static_cast<First&&>(first));
    } else {
      return static_cast<const T&>(first);
    }
  }
};

// A part of what `Of` takes from an element.
template <class Of, std::size_t kIndex>
struct PartAt {
  template <class T>
  static decltype(auto) of(const T& element) {
    using Whole = decltype(Of::of(element));
    using Parts = CompositeOf<std::decay_t<Whole>>;
    if constexpr (std::is_reference_v<Whole>) {
      return Parts::visit(Of::of(element), Pick<kIndex>());
    } else {  // its parts end with it
      using Result = std::decay_t<decltype(Parts::visit(Of::of(element), Pick<kIndex>()))>;
      return Result(Parts::visit(Of::of(element), Pick<kIndex>()));
    }
  }
};

template <class T>
struct ElementParts {
  using Whole = CompositeOf<ElementOf<T>>;
  static constexpr const char* kNames = Whole::kNames;
  static constexpr const char* kText = Whole::kText;
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return visit_each(value, f, static_cast<PartsOf<ElementOf<T>>*>(nullptr));
  }

 private:
  template <class F, class... Parts>
  static decltype(auto) visit_each(const T& value, F&& f, TypeList<Parts...>* /*types*/) {
    return visit_indexes(value, f, std::index_sequence_for<Parts...>());
  }
  template <class F, std::size_t... I>
  static decltype(auto) visit_indexes(const T& value, F&& f, std::index_sequence<I...> /*each*/) {
    return f(PartOfElements<T, PartAt<typename PartOf<T>::Of, I>>{value}...);
  }
};

}  // namespace ringside::detail
