#pragma once
// Types that are recorded as several fields, their parts.

#include "required_platform.h"
// Before all others.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ringside {

/// How a type is recorded, for types that RS_ADAPT cannot list.
///
/// A specialisation has the names of the parts, and a function that passes the parts to `f`, as
/// values or references, and returns its result:
///
///     template <>
///     struct ringside::Fields<Money> {
///       static constexpr const char* names = "units, currency";
///       template <class F>
///       static decltype(auto) visit(const Money& money, F&& f) {
///         return f(money.units(), money.currency());
///       }
///     };
///
/// `static constexpr const char* text = "{} {}";` is optional: what a placeholder of RS_FMT shows,
/// with a `{}` for each part.
template <class T, class = void>
struct Fields {};

namespace detail {

template <class... T>
struct TypeList {};

// std::void_t does not tell partial specialisations apart with clang.
template <class... T>
struct VoidFrom {
  using type = void;
};
template <class... T>
using VoidOf = typename VoidFrom<T...>::type;

template <class T, class = void>
inline constexpr const char* kTextOf = nullptr;
template <class T>
inline constexpr const char* kTextOf<T, VoidOf<decltype(Fields<T>::text)>> = Fields<T>::text;

// Types of the standard library, known by their members: their headers are not included.
// `kIsKnown`: T has parts.
template <class T, class = void>
struct LibraryComposite {
  static constexpr bool kIsKnown = false;
};

// std::pair and std::tuple. An array has begin() too.
template <class T, class = void>
inline constexpr bool is_range = false;
template <class T>
inline constexpr bool
    is_range<T, VoidOf<decltype(++std::declval<decltype(std::declval<const T&>().begin())&>()),
                       decltype(std::declval<const T&>().size())>> = true;

template <std::size_t kCount>
constexpr const char* tuple_names() {
  static_assert(kCount <= 10, "Ringside records tuples of up to 10 elements");
  constexpr const char* kAll[] = {"",
                                  "0",
                                  "0, 1",
                                  "0, 1, 2",
                                  "0, 1, 2, 3",
                                  "0, 1, 2, 3, 4",
                                  "0, 1, 2, 3, 4, 5",
                                  "0, 1, 2, 3, 4, 5, 6",
                                  "0, 1, 2, 3, 4, 5, 6, 7",
                                  "0, 1, 2, 3, 4, 5, 6, 7, 8",
                                  "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"};
  return kAll[kCount];
}
template <std::size_t kCount>
constexpr const char* tuple_text() {
  constexpr const char* kAll[] = {"()",
                                  "({})",
                                  "({}, {})",
                                  "({}, {}, {})",
                                  "({}, {}, {}, {})",
                                  "({}, {}, {}, {}, {})",
                                  "({}, {}, {}, {}, {}, {})",
                                  "({}, {}, {}, {}, {}, {}, {})",
                                  "({}, {}, {}, {}, {}, {}, {}, {})",
                                  "({}, {}, {}, {}, {}, {}, {}, {}, {})",
                                  "({}, {}, {}, {}, {}, {}, {}, {}, {}, {})"};
  return kAll[kCount];
}

template <class T, class = void>
inline constexpr bool is_pair = false;
template <class T>
inline constexpr bool is_pair<T, VoidOf<typename T::first_type, typename T::second_type>> = true;

template <class T>
struct LibraryComposite<T, std::enable_if_t<(std::tuple_size<T>::value > 0) && !is_range<T>>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames =
      is_pair<T> ? "first, second" : tuple_names<std::tuple_size<T>::value>();
  static constexpr const char* kText = tuple_text<std::tuple_size<T>::value>();
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return visit_all(value, f, std::make_index_sequence<std::tuple_size<T>::value>());
  }

 private:
  template <class F, std::size_t... I>
  static decltype(auto) visit_all(const T& value, F&& f, std::index_sequence<I...> /*indexes*/) {
    using std::get;
    return f(get<I>(value)...);
  }
};

// std::chrono::duration: the number, under the name of its unit.
template <class T>
struct DurationUnit {
  static constexpr auto kNum = T::period::num;
  static constexpr auto kDen = T::period::den;
  static constexpr int kUnit = kNum == 1 && kDen == 1'000'000'000 ? 0
                               : kNum == 1 && kDen == 1'000'000   ? 1
                               : kNum == 1 && kDen == 1'000       ? 2
                               : kNum == 1 && kDen == 1           ? 3
                               : kNum == 60 && kDen == 1          ? 4
                               : kNum == 3600 && kDen == 1        ? 5
                               : kNum == 86400 && kDen == 1       ? 6
                                                                  : 7;
  static constexpr const char* name() {
    constexpr const char* kNames[] = {"ns", "us", "ms", "s", "min", "h", "d", "ticks"};
    return kNames[kUnit];
  }
  static constexpr const char* text() {
    constexpr const char* kTexts[] = {"{}ns",  "{}us", "{}ms", "{}s",
                                      "{}min", "{}h",  "{}d",  "{} ticks"};
    return kTexts[kUnit];
  }
};

template <class T>
struct LibraryComposite<
    T, VoidOf<typename T::rep, typename T::period, decltype(std::declval<const T&>().count())>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = DurationUnit<T>::name();
  static constexpr const char* kText = DurationUnit<T>::text();
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return f(value.count());
  }
};

// std::chrono::time_point: the duration since the clock's epoch.
template <class T>
struct LibraryComposite<
    T, VoidOf<typename T::clock, decltype(std::declval<const T&>().time_since_epoch())>>
    : LibraryComposite<typename T::duration> {
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return f(value.time_since_epoch().count());
  }
};

// std::error_code and std::error_condition. Their message is not recorded: it would be allocated.
template <class T>
struct LibraryComposite<T, VoidOf<decltype(std::declval<const T&>().category().name()),
                                  decltype(std::declval<const T&>().value())>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = "category, value";
  static constexpr const char* kText = "{}:{}";
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return f(value.category().name(), value.value());
  }
};

// std::source_location.
template <class T>
struct LibraryComposite<T, VoidOf<decltype(std::declval<const T&>().file_name()),
                                  decltype(std::declval<const T&>().function_name()),
                                  decltype(std::declval<const T&>().line())>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = "file, line, function";
  static constexpr const char* kText = "{}:{} ({})";
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return f(value.file_name(), value.line(), value.function_name());
  }
};

// What `Of` takes from the elements of an array or a map.
template <class Elements, class Of>
struct PartOfElements {
  const Elements& elements;
};
struct KeyOfElement {
  template <class T>
  static const auto& of(const T& element) {
    return element.first;
  }
};
struct MappedOfElement {
  template <class T>
  static const auto& of(const T& element) {
    return element.second;
  }
};

// Maps: their keys and their values, two arrays.
template <class T>
struct LibraryComposite<T, VoidOf<typename T::key_type, typename T::mapped_type,
                                  decltype(std::declval<const T&>().begin()->second)>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = "keys, values";
  static constexpr const char* kText = nullptr;
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return f(PartOfElements<T, KeyOfElement>{value}, PartOfElements<T, MappedOfElement>{value});
  }
};

template <class T, class = void>
struct Composite : LibraryComposite<T> {};

template <class T>
struct Composite<T, VoidOf<decltype(Fields<T>::names)>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = Fields<T>::names;
  static constexpr const char* kText = kTextOf<T>;
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return Fields<T>::visit(value, static_cast<F&&>(f));
  }
};

// RS_ADAPT, by argument-dependent lookup.
template <class T>
struct Composite<T, VoidOf<decltype(rs_field_names(static_cast<const T*>(nullptr)))>> {
  static constexpr bool kIsKnown = true;
  static constexpr const char* kNames = rs_field_names(static_cast<const T*>(nullptr));
  static constexpr const char* kText = nullptr;
  template <class F>
  static decltype(auto) visit(const T& value, F&& f) {
    return rs_visit_fields(value, static_cast<F&&>(f));
  }
};

}  // namespace detail
}  // namespace ringside
