#pragma once
/// @file
/// Texts that the service makes at run time, for C++17 and later.

#include "required_platform.h"
// Before all others.
#include <cstddef>
#include <cstdint>
#include <string.h>
#include <type_traits>
#include <utility>

#include "log.hpp"
#include "text_place.h"

namespace ringside::detail {

// A text that the service made, in the form of a class that all styles take.
class TextArgument {
 public:
  using traits_type = void;
  constexpr TextArgument(const char* text, std::size_t bytes) : text_(text), bytes_(bytes) {}
  constexpr const char* data() const { return text_; }
  constexpr std::size_t size() const { return bytes_; }

 private:
  const char* text_;
  std::size_t bytes_;
};

template <class T>
inline constexpr bool is_text_character =
    is_one_of<T, char, signed char, unsigned char, Utf8Character>;

// Strings, views, and buffers of characters.
template <class T, class = void>
inline constexpr bool is_text_buffer = false;
template <class T>
inline constexpr bool is_text_buffer<T, std::void_t<decltype(std::declval<const T&>().size()),
                                                    decltype(*std::declval<const T&>().data())>> =
    is_text_character<std::decay_t<decltype(*std::declval<const T&>().data())>>;

template <class T>
[[gnu::always_inline]] inline TextArgument text_of(const T& text) {
  if constexpr (std::is_array_v<T>) {
    static_assert(is_text_character<std::remove_cv_t<std::remove_extent_t<T>>>,
                  "the text is an array of other elements than characters");
    const auto* const begin = reinterpret_cast<const char*>(&text[0]);
    return {begin, strnlen(begin, sizeof text)};
  } else if constexpr (argument_of<T>().kind == ArgumentKind::text_pointer) {
    if (text == nullptr) return {kNullText, kNullTextBytes};
    const auto* const begin = reinterpret_cast<const char*>(text);
    return {begin, __builtin_strlen(begin)};
  } else if constexpr (is_path<T>) {
    return text_of(text.native());
  } else {
    static_assert(is_text_buffer<T>,
                  "the text is a std::string, std::string_view, C string, std::filesystem::path, "
                  "or a class with data() and size() of characters");
    return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(text.size())};
  }
}

template <class Character, class Size>
[[gnu::always_inline]] inline TextArgument text_of(const Character* text, Size bytes) {
  static_assert(is_text_character<Character> && std::is_integral_v<Size>,
                "a text with a length is a pointer to characters and their number");
  return {reinterpret_cast<const char*>(text),
          bytes < Size{1} ? std::size_t{0} : static_cast<std::size_t>(bytes)};
}

// Of a place that is known at run time: the statement if it is to be recorded; null otherwise.
// `*state`: of its switch.
inline rs_site* enabled_text_site(const rs_text_place& place, std::uint8_t* state) {
  rs_site* const site = rs_text_site(&place);
  if (site == nullptr) return nullptr;
  *state = rs_site_enabled(site);
  return *state != RS_SWITCH_OFF ? site : nullptr;
}

inline void record_text(rs_site* site, std::uint8_t state, TextArgument text) {
  Recorder<TextView>::record(site, state, TextView{text.data(), text.size()});
}

}  // namespace ringside::detail

/// Records a text that was made at run time.
///
///     RS_TEXT(RS_LEVEL_INFO, message);
///     RS_TEXT(RS_LEVEL_INFO, buffer, length);
///
/// The text is recorded as it is: `%` and braces in it have no meaning. It is one field, `text`. It
/// is evaluated and copied only while the statement is enabled. A text that does not fit into a
/// record loses its end, between characters of UTF-8: a record has at most a quarter of its ring,
/// and at most 1 MiB. Tools mark it, and it is counted as too_large.
///
/// Types: std::string, std::string_view, C strings, std::filesystem::path, arrays of characters (up
/// to the first NUL), and classes with data() and size() of characters. Or a pointer to characters
/// and their number, NUL characters included. A null C string is recorded as "(null)", a null
/// pointer with a length and a negative length as an empty text. Use RS_LOG or RS_FMT where the
/// parts are known: tools can then search for the values, and the call formats nothing.
///
/// @param level_  enum rs_level, ringside::Level or an integer, as with RS_LOG
/// @param ...  the text; or a pointer and a number of bytes
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_TEXT(level_, ...)                                                               \
  RS_LEVEL_STATEMENT_(RS_STYLE_BRACE, RsArguments::brace("{}", "\"{}\", text"), level_, 0, \
                      "\"{}\", text", "{}", ::ringside::detail::text_of(__VA_ARGS__))
