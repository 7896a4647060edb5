#pragma once
// The probe of a C++ statement: usdt_note.h. Included where RINGSIDE_USDT is defined.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "argument_kind.hpp"
#include "statement.hpp"
#include "stored_argument.hpp"
#include "usdt_note.h"

namespace ringside::detail {

// FILE_LINE, without the folders: orders_cpp_42. Letters, digits and underscores. A longer name
// loses the end of FILE.
class ProbeName {
 public:
  // The name in words of eight characters. All are negated, because %n prints the negative of an
  // operand and is the only form in which g++ prints one of more than 32 bits.
  static constexpr std::size_t kWords = 6;
  std::int64_t words[kWords] = {};

  constexpr explicit ProbeName(const rs_site& site) {
    char line[12] = {};
    std::size_t digits = 0;
    for (std::uint32_t rest = site.line; rest != 0 || digits == 0; rest /= 10) {
      line[digits++] = static_cast<char>('0' + rest % 10);
    }
    const char* name = site.file;
    for (const char* at = site.file; *at != '\0'; ++at) {
      if (*at == '/') name = at + 1;
    }
    for (std::size_t room = kWords * 8 - 1 - 1 - digits; room != 0 && *name != '\0'; --room) {
      put(is_valid(*name) ? *name : '_');
      ++name;
    }
    put('_');
    while (digits != 0) put(line[--digits]);
    for (std::int64_t& word : words) word = -word;
  }

 private:
  static constexpr bool is_valid(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  }
  // ASCII: no word has its sign bit set.
  constexpr void put(char c) {
    words[count_ / 8] |= static_cast<std::int64_t>(c) << (count_ % 8 * 8);
    ++count_;
  }

  std::size_t count_ = 0;
};

// An argument as readers take it: an integer, or the address of a text. Of other values a 0.
// Promoted: gdb does not know the names of some registers of one byte.
template <class T>
[[gnu::always_inline]] inline auto probe_value(const T& argument) {
  if constexpr (std::is_enum_v<T>) {
    return +static_cast<std::underlying_type_t<T>>(argument);
  } else if constexpr (std::is_integral_v<T> && !is_wide_int<T>) {
    return +argument;
  } else if constexpr (std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>>) {
    return static_cast<const volatile void*>(argument);
  } else if constexpr (std::is_pointer_v<T> && std::is_void_v<std::remove_pointer_t<T>>) {
    return static_cast<const volatile void*>(argument);
  } else if constexpr (is_one_of<T, CText, LimitedText, TextView, WideText>) {
    return static_cast<const volatile void*>(argument.text);
  } else if constexpr (std::is_array_v<T> &&
                       argument_of<std::decay_t<T>>().kind == ArgumentKind::text_pointer) {
    return static_cast<const volatile void*>(argument);
  } else if constexpr (argument_of<T>().kind == ArgumentKind::text) {
    return static_cast<const volatile void*>(argument.data());
  } else if constexpr (argument_of<T>().kind == ArgumentKind::path) {
    return static_cast<const volatile void*>(argument.c_str());
  } else {
    return 0;
  }
}

template <std::size_t kIndex, class First, class... Rest>
[[gnu::always_inline]] inline auto probe_argument(const First& first,
                                                  [[maybe_unused]] const Rest&... rest) {
  if constexpr (kIndex == 0) {
    return probe_value(first);
  } else {
    return probe_argument<kIndex - 1>(rest...);
  }
}

// Above 0 for a type with a sign.
template <class T>
inline constexpr int kProbeSize = std::is_signed_v<T> ? int{sizeof(T)} : -int{sizeof(T)};

// The name's characters up to the first 0, and their end.
#define RS_PROBE_NAME_WORDS_                                                \
  ".irp rs_w,%n[rs_n0],%n[rs_n1],%n[rs_n2],%n[rs_n3],%n[rs_n4],%n[rs_n5]\n" \
  ".irp rs_b,0,8,16,24,32,40,48,56\n"                                       \
  ".if (\\rs_w >> \\rs_b) & 255\n.byte (\\rs_w >> \\rs_b) & 255\n.endif\n"  \
  ".endr\n.endr\n.byte 0\n"
#define RS_PROBE_NAME_OPERANDS_                                                          \
  [rs_n0] "n"(kName.words[0]), [rs_n1] "n"(kName.words[1]), [rs_n2] "n"(kName.words[2]), \
      [rs_n3] "n"(kName.words[3]), [rs_n4] "n"(kName.words[4]), [rs_n5] "n"(kName.words[5])
#define RS_PROBE_LOCAL_(n) const auto rs_a##n##_ = probe_argument<n>(args...);
#define RS_PROBE_LOCALS_0
#define RS_PROBE_OPERANDS_0
#define RS_PROBE_TEXTS_0 ""
#define RS_PROBE_OPERAND_(n)                                           \
  , [rs_s##n] "n"(kProbeSize<std::remove_cv_t<decltype(rs_a##n##_)>>), \
      [rs_a##n] RS_PROBE_PLACE_(rs_a##n##_)
#define RS_PROBE_LOCALS_1 RS_PROBE_LOCALS_0 RS_PROBE_LOCAL_(0)
#define RS_PROBE_LOCALS_2 RS_PROBE_LOCALS_1 RS_PROBE_LOCAL_(1)
#define RS_PROBE_LOCALS_3 RS_PROBE_LOCALS_2 RS_PROBE_LOCAL_(2)
#define RS_PROBE_LOCALS_4 RS_PROBE_LOCALS_3 RS_PROBE_LOCAL_(3)
#define RS_PROBE_LOCALS_5 RS_PROBE_LOCALS_4 RS_PROBE_LOCAL_(4)
#define RS_PROBE_LOCALS_6 RS_PROBE_LOCALS_5 RS_PROBE_LOCAL_(5)
#define RS_PROBE_LOCALS_7 RS_PROBE_LOCALS_6 RS_PROBE_LOCAL_(6)
#define RS_PROBE_LOCALS_8 RS_PROBE_LOCALS_7 RS_PROBE_LOCAL_(7)
#define RS_PROBE_LOCALS_9 RS_PROBE_LOCALS_8 RS_PROBE_LOCAL_(8)
#define RS_PROBE_LOCALS_10 RS_PROBE_LOCALS_9 RS_PROBE_LOCAL_(9)
#define RS_PROBE_LOCALS_11 RS_PROBE_LOCALS_10 RS_PROBE_LOCAL_(10)
#define RS_PROBE_LOCALS_12 RS_PROBE_LOCALS_11 RS_PROBE_LOCAL_(11)
#define RS_PROBE_OPERANDS_1 RS_PROBE_OPERANDS_0 RS_PROBE_OPERAND_(0)
#define RS_PROBE_OPERANDS_2 RS_PROBE_OPERANDS_1 RS_PROBE_OPERAND_(1)
#define RS_PROBE_OPERANDS_3 RS_PROBE_OPERANDS_2 RS_PROBE_OPERAND_(2)
#define RS_PROBE_OPERANDS_4 RS_PROBE_OPERANDS_3 RS_PROBE_OPERAND_(3)
#define RS_PROBE_OPERANDS_5 RS_PROBE_OPERANDS_4 RS_PROBE_OPERAND_(4)
#define RS_PROBE_OPERANDS_6 RS_PROBE_OPERANDS_5 RS_PROBE_OPERAND_(5)
#define RS_PROBE_OPERANDS_7 RS_PROBE_OPERANDS_6 RS_PROBE_OPERAND_(6)
#define RS_PROBE_OPERANDS_8 RS_PROBE_OPERANDS_7 RS_PROBE_OPERAND_(7)
#define RS_PROBE_OPERANDS_9 RS_PROBE_OPERANDS_8 RS_PROBE_OPERAND_(8)
#define RS_PROBE_OPERANDS_10 RS_PROBE_OPERANDS_9 RS_PROBE_OPERAND_(9)
#define RS_PROBE_OPERANDS_11 RS_PROBE_OPERANDS_10 RS_PROBE_OPERAND_(10)
#define RS_PROBE_OPERANDS_12 RS_PROBE_OPERANDS_11 RS_PROBE_OPERAND_(11)
#define RS_PROBE_TEXTS_1 RS_PROBE_ARGUMENT_(0)
#define RS_PROBE_TEXTS_2 RS_PROBE_TEXTS_1 " " RS_PROBE_ARGUMENT_(1)
#define RS_PROBE_TEXTS_3 RS_PROBE_TEXTS_2 " " RS_PROBE_ARGUMENT_(2)
#define RS_PROBE_TEXTS_4 RS_PROBE_TEXTS_3 " " RS_PROBE_ARGUMENT_(3)
#define RS_PROBE_TEXTS_5 RS_PROBE_TEXTS_4 " " RS_PROBE_ARGUMENT_(4)
#define RS_PROBE_TEXTS_6 RS_PROBE_TEXTS_5 " " RS_PROBE_ARGUMENT_(5)
#define RS_PROBE_TEXTS_7 RS_PROBE_TEXTS_6 " " RS_PROBE_ARGUMENT_(6)
#define RS_PROBE_TEXTS_8 RS_PROBE_TEXTS_7 " " RS_PROBE_ARGUMENT_(7)
#define RS_PROBE_TEXTS_9 RS_PROBE_TEXTS_8 " " RS_PROBE_ARGUMENT_(8)
#define RS_PROBE_TEXTS_10 RS_PROBE_TEXTS_9 " " RS_PROBE_ARGUMENT_(9)
#define RS_PROBE_TEXTS_11 RS_PROBE_TEXTS_10 " " RS_PROBE_ARGUMENT_(10)
#define RS_PROBE_TEXTS_12 RS_PROBE_TEXTS_11 " " RS_PROBE_ARGUMENT_(11)
// With `n` arguments.
#define RS_PROBE_(n)                                                                             \
  if constexpr (kCount == n) {                                                                   \
    RS_PROBE_LOCALS_##n __asm__ __volatile__(RS_PROBE_BEGIN_ RS_PROBE_NAME_WORDS_                \
                                             ".asciz \"" RS_PROBE_TEXTS_##n "\"\n" RS_PROBE_END_ \
                                             :                                                   \
                                             : RS_PROBE_NAME_OPERANDS_ RS_PROBE_OPERANDS_##n);   \
  }

// The probe of the statement `Text`, its local type, whose description site() makes.
template <class Text, class... Args>
[[gnu::always_inline]] inline void probe([[maybe_unused]] const Args&... args) {
  static constexpr ProbeName kName{Text::site({})};
  constexpr std::size_t kCount =
      sizeof...(Args) < RS_MOST_PROBE_ARGUMENTS ? sizeof...(Args) : RS_MOST_PROBE_ARGUMENTS;
  RS_PROBE_(0)
  RS_PROBE_(1)
  RS_PROBE_(2)
  RS_PROBE_(3)
  RS_PROBE_(4)
  RS_PROBE_(5)
  RS_PROBE_(6)
  RS_PROBE_(7)
  RS_PROBE_(8)
  RS_PROBE_(9)
  RS_PROBE_(10)
  RS_PROBE_(11)
  RS_PROBE_(12)
}

#undef RS_PROBE_
#undef RS_PROBE_LOCALS_0
#undef RS_PROBE_OPERANDS_0
#undef RS_PROBE_TEXTS_0
#undef RS_PROBE_LOCALS_1
#undef RS_PROBE_OPERANDS_1
#undef RS_PROBE_TEXTS_1
#undef RS_PROBE_LOCALS_2
#undef RS_PROBE_OPERANDS_2
#undef RS_PROBE_TEXTS_2
#undef RS_PROBE_LOCALS_3
#undef RS_PROBE_OPERANDS_3
#undef RS_PROBE_TEXTS_3
#undef RS_PROBE_LOCALS_4
#undef RS_PROBE_OPERANDS_4
#undef RS_PROBE_TEXTS_4
#undef RS_PROBE_LOCALS_5
#undef RS_PROBE_OPERANDS_5
#undef RS_PROBE_TEXTS_5
#undef RS_PROBE_LOCALS_6
#undef RS_PROBE_OPERANDS_6
#undef RS_PROBE_TEXTS_6
#undef RS_PROBE_LOCALS_7
#undef RS_PROBE_OPERANDS_7
#undef RS_PROBE_TEXTS_7
#undef RS_PROBE_LOCALS_8
#undef RS_PROBE_OPERANDS_8
#undef RS_PROBE_TEXTS_8
#undef RS_PROBE_LOCALS_9
#undef RS_PROBE_OPERANDS_9
#undef RS_PROBE_TEXTS_9
#undef RS_PROBE_LOCALS_10
#undef RS_PROBE_OPERANDS_10
#undef RS_PROBE_TEXTS_10
#undef RS_PROBE_LOCALS_11
#undef RS_PROBE_OPERANDS_11
#undef RS_PROBE_TEXTS_11
#undef RS_PROBE_LOCALS_12
#undef RS_PROBE_OPERANDS_12
#undef RS_PROBE_TEXTS_12
#undef RS_PROBE_LOCAL_
#undef RS_PROBE_OPERAND_
#undef RS_PROBE_NAME_OPERANDS_
#undef RS_PROBE_NAME_WORDS_

// BoundCall with the statement's probe, which fires when the statement records.
template <class Text, class Call, class Arguments>
struct ProbedCall;
template <class Text, class Call, class... Args>
struct ProbedCall<Text, Call, Arguments<Args...>> {
  template <class T>
  using Taken = typename BoundCall<Call, Arguments<Args...>>::template Taken<T>;

  [[gnu::always_inline]] static void record(rs_site* site, std::uint8_t state, const char* format,
                                            Taken<Args>... args) {
    probe<Text>(args...);
    BoundCall<Call, Arguments<Args...>>::record(site, state, format, args...);
  }
};

}  // namespace ringside::detail
