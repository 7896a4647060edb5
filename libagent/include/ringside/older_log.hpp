#pragma once
// The log macros in the style of printf for C++11 and C++14. Part of ringside.h.
//
// A statement is described as one of C is, by a table of its arguments' types that the library
// compares with the format. Its calls pass their arguments to rs_record_values(), which is one
// function for all types: code that stores them inline would be several times as large.

#include "required_platform.h"
// Before all others.
#include <stdint.h>
#include <wchar.h>

#include "abi.h"
#include "min_level.h"

// With RINGSIDE_USDT defined, each statement is also a probe: see log.hpp. Here without arguments.
#if defined(RINGSIDE_USDT)
#include "usdt_note.h"
#define RS_PROBE_STATEMENT_ RS_PROBE_ALONE_;
#else
#define RS_PROBE_STATEMENT_
#endif

namespace ringside {
namespace older {

// rs_field.given, by the codes of shm-layout/field_type.hpp, of an argument passed by value. An
// enumeration without scope is the integer to which printf's argument is promoted.
template <class T>
struct Unsupported {
  static constexpr bool value = false;
};
template <class T, bool kIsEnumeration>
struct GivenOfOther {
  static_assert(Unsupported<T>::value,
                "with C++11 and C++14, Ringside records what printf takes: integers, "
                "floating-point numbers, C strings, and pointers to void");
};
template <class T>
struct Given;
template <class T>
struct GivenOfOther<T, true> : Given<decltype(+T())> {};
template <class T>
struct Given : GivenOfOther<T, __is_enum(T)> {};

template <uint8_t kCode>
struct GivenCode {
  static constexpr uint8_t code = kCode;
};
template <>
struct Given<bool> : GivenCode<1> {};
template <>
struct Given<char> : GivenCode<2> {};
template <>
struct Given<signed char> : GivenCode<3> {};
template <>
struct Given<short> : GivenCode<4> {};
template <>
struct Given<int> : GivenCode<5> {};
template <>
struct Given<long> : GivenCode<6> {};
template <>
struct Given<long long> : GivenCode<6> {};
template <>
struct Given<unsigned char> : GivenCode<8> {};
template <>
struct Given<unsigned short> : GivenCode<9> {};
template <>
struct Given<unsigned> : GivenCode<10> {};
template <>
struct Given<unsigned long> : GivenCode<11> {};
template <>
struct Given<unsigned long long> : GivenCode<11> {};
template <>
struct Given<wchar_t> : Given<decltype(+wchar_t())> {};
template <>
struct Given<float> : GivenCode<13> {};
template <>
struct Given<double> : GivenCode<14> {};
template <>
struct Given<long double> : GivenCode<15> {};
template <>
struct Given<void*> : GivenCode<16> {};
template <>
struct Given<const void*> : GivenCode<16> {};
template <>
struct Given<char*> : GivenCode<17> {};
template <>
struct Given<const char*> : GivenCode<17> {};
template <>
struct Given<signed char*> : GivenCode<17> {};
template <>
struct Given<const signed char*> : GivenCode<17> {};
template <>
struct Given<unsigned char*> : GivenCode<17> {};
template <>
struct Given<const unsigned char*> : GivenCode<17> {};
// Not wchar_t*, which %n would take: wchar_t is an integer too.
template <>
struct Given<const wchar_t*> : GivenCode<RS_GIVEN_WIDE> {};

template <class... Args>
struct Types {
  static constexpr uint8_t kCount = sizeof...(Args);
  // One more than there are arguments: there are no empty arrays.
  struct Fields {
    rs_field all[sizeof...(Args) + 1];
  };
  static constexpr Fields fields() {
    return Fields{{rs_field{0, Given<Args>::code, 0, 0, -1, -1}..., rs_field{0, 0, 0, 0, -1, -1}}};
  }
  // Takes bit-fields and arrays by value.
  __attribute__((noinline)) static void record(rs_site* site, uint8_t state, const char* /*format*/,
                                               Args... args) {
    rs_record_values(site, state, 1, args...);
  }
};
template <class... Args>
Types<Args...> types_of(const char* format, Args... args);

// Initialised at compile time. `Text` is local to the statement.
template <class Text, class Types>
struct Statement {
  __attribute__((visibility("hidden"))) static typename Types::Fields fields;
  __attribute__((visibility("hidden"))) static rs_site site;
};
template <class Text, class Types>
typename Types::Fields Statement<Text, Types>::fields = Types::fields();
template <class Text, class Types>
rs_site Statement<Text, Types>::site = Text::site(Statement<Text, Types>::fields.all,
                                                  Types::kCount);

// Never called: lets the compiler check the format.
__attribute__((format(printf, 1, 2))) inline void check_format(const char* /*format*/, ...) {}

__attribute__((constructor)) static void load_sites() {
  rs_sites_loaded(__start_ringside_sites, __stop_ringside_sites);
}
__attribute__((destructor)) static void unload_sites() {
  rs_sites_unloaded(__start_ringside_sites, __stop_ringside_sites);
}

}  // namespace older
}  // namespace ringside

#define RS_FIRST_(first_, ...) first_

#define RS_STATEMENT_OF_(level_, flags_, arguments_, ...)                                        \
  do {                                                                                           \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wformat\"")                  \
        _Pragma("GCC diagnostic error \"-Wformat-extra-args\"")                                  \
            _Pragma("GCC diagnostic ignored \"-Wformat-zero-length\"") if (0)::ringside::older:: \
                check_format(__VA_ARGS__);                                                       \
    _Pragma("GCC diagnostic pop") static constexpr const char* rs_function_                      \
        __attribute__((unused)) = __builtin_FUNCTION();                                          \
    typedef decltype(::ringside::older::types_of(__VA_ARGS__)) RsTypes;                          \
    struct RsText {                                                                              \
      static constexpr rs_site site(rs_field* fields, uint8_t count) {                           \
        return rs_site{&rs_initial_switch,                                                       \
                       0,                                                                        \
                       "" RS_FIRST_(__VA_ARGS__, 0),                                             \
                       __FILE__,                                                                 \
                       rs_function_,                                                             \
                       arguments_,                                                               \
                       nullptr,                                                                  \
                       fields,                                                                   \
                       count,                                                                    \
                       level_,                                                                   \
                       RS_STYLE_PRINTF,                                                          \
                       flags_,                                                                   \
                       __LINE__,                                                                 \
                       0,                                                                        \
                       nullptr,                                                                  \
                       nullptr,                                                                  \
                       nullptr};                                                                 \
      }                                                                                          \
    };                                                                                           \
    typedef ::ringside::older::Statement<RsText, RsTypes> RsStatement;                           \
    if (RS_IS_COMPILED_(level_)) {                                                               \
      RS_LIST_SITE_(RsStatement::site);                                                          \
      if (const uint8_t rs_state_ = rs_site_enabled(&RsStatement::site)) {                       \
        RS_PROBE_STATEMENT_                                                                      \
        RsTypes::record(&RsStatement::site, rs_state_, __VA_ARGS__);                             \
      }                                                                                          \
    }                                                                                            \
  } while (0)
