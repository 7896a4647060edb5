#pragma once
// What kind of argument a C++ type is.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ringside::detail {

enum class ArgumentKind : std::uint8_t {
  unsupported = 0,
  boolean,
  character,
  wide_character,
  integer,  // any other, and enumerations without scope
  f32,
  f64,
  f80,
  text_pointer,  // char*, signed and unsigned, char8_t*
  wide_pointer,  // wchar_t*
  text,          // a class with data() and size() of characters
  path,          // a class whose native() is such a text
  pointer,
  enumeration,  // scoped
  made_text,    // a class whose text the log call makes: see MadeText
};

struct Argument {
  ArgumentKind kind = ArgumentKind::unsupported;
  std::uint8_t bytes = 0;        // of an integer, after integer promotion
  bool is_signed = false;        // of an integer, after integer promotion
  std::uint8_t exact_bytes = 0;  // of an integer, before it
  bool exact_signed = false;     // likewise
};

template <class T, class... Any>
inline constexpr bool is_one_of = (std::is_same_v<T, Any> || ...);

#ifdef __cpp_char8_t
using Utf8Character = char8_t;
#else
using Utf8Character = char;
#endif

// std::string, std::string_view and everything that has their traits_type, data() and size().
template <class T, class = void>
inline constexpr bool is_text = false;
template <class T>
inline constexpr bool
    is_text<T, std::void_t<typename T::traits_type, decltype(std::declval<const T&>().size())>> =
        std::is_convertible_v<decltype(std::declval<const T&>().data()), const char*> ||
        std::is_convertible_v<decltype(std::declval<const T&>().data()), const Utf8Character*>;

// std::filesystem::path.
template <class T, class = void>
inline constexpr bool is_path = false;
template <class T>
inline constexpr bool is_path<T, std::void_t<decltype(std::declval<const T&>().native())>> =
    is_text<std::decay_t<decltype(std::declval<const T&>().native())>>;

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;
// In strict modes of the standard they are not integral types.
template <class T>
inline constexpr bool is_wide_int = is_one_of<T, Int128, UInt128>;

template <class T>
constexpr Argument integer_argument() {
  using P = decltype(+T{});
  return {ArgumentKind::integer, sizeof(P), P(-1) < P(0), sizeof(T), T(-1) < T(0)};
}

// A specialisation for a type whose text the log call makes has a function passed(const T&), whose
// result has a specialisation of Stored.
template <class T>
struct MadeText {
  static constexpr bool kIsKnown = false;
};

// `T`: decayed.
template <class T>
constexpr Argument argument_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return {ArgumentKind::boolean, sizeof(int), true, 1, false};
  } else if constexpr (std::is_same_v<T, char>) {
    return {ArgumentKind::character, sizeof(int), true, 1, std::is_signed_v<char>};
  } else if constexpr (std::is_same_v<T, wchar_t>) {
    return {ArgumentKind::wide_character, sizeof(int), true, sizeof(wchar_t), true};
  } else if constexpr (std::is_integral_v<T> || is_wide_int<T>) {
    return integer_argument<T>();
  } else if constexpr (std::is_enum_v<T> && std::is_convertible_v<T, long long>) {
    using U = std::underlying_type_t<T>;
    using P = decltype(+T{});
    return {ArgumentKind::integer, sizeof(P), P(-1) < P(0), sizeof(U), U(-1) < U(0)};
  } else if constexpr (std::is_enum_v<T>) {
    using U = std::underlying_type_t<T>;
    return {ArgumentKind::enumeration, sizeof(U) < sizeof(int) ? sizeof(int) : sizeof(U),
            std::is_signed_v<U>, sizeof(U), std::is_signed_v<U>};
  } else if constexpr (std::is_same_v<T, float>) {
    return {ArgumentKind::f32, sizeof(T), true, sizeof(T), true};
  } else if constexpr (std::is_same_v<T, double>) {
    return {ArgumentKind::f64, sizeof(T), true, sizeof(T), true};
  } else if constexpr (std::is_same_v<T, long double>) {
    return {ArgumentKind::f80, 10, true, 10, true};
  } else if constexpr (std::is_null_pointer_v<T>) {
    return {ArgumentKind::pointer};
  } else if constexpr (std::is_pointer_v<T>) {
    using P = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (is_one_of<P, char, signed char, unsigned char, Utf8Character>) {
      return {ArgumentKind::text_pointer};
    } else if constexpr (std::is_same_v<P, wchar_t>) {
      return {ArgumentKind::wide_pointer};
    } else {
      return {ArgumentKind::pointer};
    }
  } else if constexpr (is_text<T>) {
    return {ArgumentKind::text};
  } else if constexpr (is_path<T>) {
    return {ArgumentKind::path};
  } else if constexpr (MadeText<T>::kIsKnown) {
    return {ArgumentKind::made_text};
  } else {
    return {};
  }
}

}  // namespace ringside::detail
