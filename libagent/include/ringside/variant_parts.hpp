#pragma once
// std::variant: the number of its alternative, and an array of at most one element for each.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "composite.hpp"
#include "element_parts.hpp"
#include "elements.hpp"

namespace ringside::detail {

namespace variant_access {

// Makes get_if<I>(x) a call that argument-dependent lookup completes, in C++17 too.
template <std::size_t kIndex>
void get_if();

template <std::size_t kIndex, class Variant>
auto alternative(const Variant& variant) {
  return get_if<kIndex>(&variant);
}

}  // namespace variant_access

template <class Variant, std::size_t kIndex>
struct Alternative {
  const Variant& variant;
};

template <class Variant, std::size_t kIndex>
struct Possible<Alternative<Variant, kIndex>, void> {
  static constexpr bool kIsKnown = true;
  static auto value(const Alternative<Variant, kIndex>& holder) {
    return variant_access::alternative<kIndex>(holder.variant);
  }
};

// Alternatives without a value, such as std::monostate, have no field.
template <class T>
inline constexpr bool is_valueless = std::is_empty_v<T>&& argument_of<T>().kind
                                         == ArgumentKind::unsupported
                                     && !is_composite<T>();

template <class... T>
struct AlternativeTexts {
  static_assert(sizeof...(T) <= 32, "Ringside records variants of up to 32 alternatives");
  struct Texts {
    char names[sizeof...(T) * 4 + 8] = {};
    char text[sizeof...(T) * 5 + 1] = {};
  };
  static constexpr Texts make() {
    constexpr bool kHasField[] = {!is_valueless<T>...};
    constexpr bool kIsBytes[] = {is_array_of_bytes<T>()...};
    Texts texts;
    std::size_t names = 0;
    std::size_t text = 0;
    for (std::size_t i = 0; i < sizeof...(T); ++i) {
      if (!kHasField[i]) continue;
      if (i >= 10) texts.names[names++] = static_cast<char>('0' + i / 10);
      texts.names[names++] = static_cast<char>('0' + i % 10);
      texts.names[names++] = ',';
      // Only the element, without brackets and quotes. Bytes are a field of their own type.
      for (const char* c = kIsBytes[i] ? "{}" : "{:n:}"; *c != '\0'; ++c) texts.text[text++] = *c;
    }
    for (const char* c = "index"; *c != '\0'; ++c) texts.names[names++] = *c;
    return texts;
  }
  [[gnu::visibility("hidden")]] static constexpr Texts kTexts = make();
};

template <template <class...> class Variant, class... T>
struct LibraryComposite<
    Variant<T...>,
    VoidOf<decltype(std::declval<const Variant<T...>&>().index()),
           decltype(std::declval<const Variant<T...>&>().valueless_by_exception())>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = AlternativeTexts<T...>::kTexts.names;
  static constexpr const char* kText = AlternativeTexts<T...>::kTexts.text;
  template <class F>
  static decltype(auto) visit(const Variant<T...>& value, F&& f) {
    return collect<0>(value, f, TypeList<T...>());
  }

 private:
  template <std::size_t kIndex, class F, class First, class... Rest, class... Taken>
  static decltype(auto) collect(const Variant<T...>& value, F&& f,
                                TypeList<First, Rest...> /*types*/, const Taken&... taken) {
    if constexpr (is_valueless<First>) {
      return collect<kIndex + 1>(value, f, TypeList<Rest...>(), taken...);
    } else {
      return collect<kIndex + 1>(value, f, TypeList<Rest...>(), taken...,
                                 Alternative<Variant<T...>, kIndex>{value});
    }
  }
  // -1: it lost its value by an exception.
  template <std::size_t kIndex, class F, class... Taken>
  static decltype(auto) collect(const Variant<T...>& value, F&& f, TypeList<> /*types*/,
                                const Taken&... taken) {
    return f(taken..., value.valueless_by_exception() ? std::int8_t{-1}
                                                      : static_cast<std::int8_t>(value.index()));
  }
};

}  // namespace ringside::detail
