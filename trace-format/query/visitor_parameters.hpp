// The parameter types of a visitor, which define its requirement on each field.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "trace-format/query/record_info.hpp"

namespace ringside::trace::query {

template <class... T>
struct TypeList {
  static constexpr std::size_t kSize = sizeof...(T);
};

// For a function pointer or an object with one operator(); const and references are removed. A
// generic lambda has no types to read: such a visitor does not compile.
template <class F>
struct CallParameters : CallParameters<decltype(&F::operator())> {};

template <class R, class... A>
struct CallParameters<R (*)(A...)> {
  using Types = TypeList<std::remove_cvref_t<A>...>;
};
template <class R, class... A>
struct CallParameters<R (*)(A...) noexcept> : CallParameters<R (*)(A...)> {};
template <class R, class C, class... A>
struct CallParameters<R (C::*)(A...)> : CallParameters<R (*)(A...)> {};
template <class R, class C, class... A>
struct CallParameters<R (C::*)(A...) const> : CallParameters<R (*)(A...)> {};
template <class R, class C, class... A>
struct CallParameters<R (C::*)(A...) noexcept> : CallParameters<R (*)(A...)> {};
template <class R, class C, class... A>
struct CallParameters<R (C::*)(A...) const noexcept> : CallParameters<R (*)(A...)> {};

// Whether the first parameter is a RecordInfo, and the types of those that are fields.
template <class Types>
struct VisitorParameters;

template <>
struct VisitorParameters<TypeList<>> {
  static constexpr bool kWithInfo = false;
  using Fields = TypeList<>;
};

template <class First, class... Others>
struct VisitorParameters<TypeList<First, Others...>> {
  static constexpr bool kWithInfo = std::same_as<First, RecordInfo>;
  using Fields = std::conditional_t<kWithInfo, TypeList<Others...>, TypeList<First, Others...>>;
};

template <class Visitor>
using ParametersOf =
    VisitorParameters<typename CallParameters<std::remove_cvref_t<Visitor>>::Types>;

}  // namespace ringside::trace::query
