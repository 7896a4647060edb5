#pragma once
/// @file
/// The log macros of Ringside in the style of streams, for C++17 and later.

#if !defined(__cplusplus) || __cplusplus < 201703L
#error \
    "<ringside/stream.hpp> needs C++17; with C++11 and C++14, <ringside/ringside.h> has the C interface"
#else

#include "abi.h"
#include "burst.hpp"
#include "category.h"
#include "gate.h"
#include "min_level.h"
#include "stream_statement.hpp"

/// Records a message whose parts follow with `<<`.
///
///     RS_STREAM(INFO) << "state is " << s;
///
/// A statement, also as the body of `if` and `else` without braces. The operands are evaluated only
/// while it is enabled. Nothing is formatted and no memory is allocated: literals are stored once,
/// in the dictionary, and the values are copied. The text is that of a std::ostream.
///
/// Values: those of RS_EVENT, enumerations without `class` as numbers. A null string is recorded as
/// "(null)", a null pointer as "0x0". A type that only has an operator<< for std::ostream is
/// refused: ringside::streamed() writes its text at once. Manipulators are refused.
///
/// The text is known from the first execution on: until then, tools list the statement by its
/// place. Fields are named arg1, arg2 and so on.
///
/// @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_STREAM(level_)                                                  \
  RS_STREAM_STATEMENT_(RS_LEVEL_##level_, ::ringside::detail::StreamStyle, \
                       ::ringside::detail::StreamRecord)

// A loop of at most one turn: unlike `if`, it leaves no `else` ambiguous.
#define RS_STREAM_STATEMENT_(level_, Style_, Record_) \
  RS_STREAM_STATEMENT_IF_(RS_IS_COMPILED_(level_), level_, Style_, Record_)
// `is_compiled_`: a constant expression; false removes the statement.
#define RS_STREAM_STATEMENT_IF_(is_compiled_, level_, Style_, Record_)                          \
  switch ([[maybe_unused]] static constexpr const char* rs_function_ = __builtin_FUNCTION(); 0) \
  case 0:                                                                                       \
  default:                                                                                      \
    for (struct RsText :                                                                        \
         ::ringside::detail::StreamState {                                                      \
           RS_DEFINE_DETAIL_                                                                    \
           static constexpr bool is_in_burst() {                                                \
             return RS_IS_IN_BURST_;                                                            \
           }                                                                                    \
           static constexpr rs_site site(std::uint8_t rs_flags_) {                              \
             return {&rs_initial_switch,                                                        \
                     0,                                                                         \
                     nullptr,                                                                   \
                     __FILE__,                                                                  \
                     rs_function_,                                                              \
                     nullptr,                                                                   \
                     nullptr,                                                                   \
                     nullptr,                                                                   \
                     0,                                                                         \
                     level_,                                                                    \
                     RS_STYLE_BRACE,                                                            \
                     rs_flags_,                                                                 \
                     __LINE__,                                                                  \
                     0,                                                                         \
                     nullptr,                                                                   \
                     nullptr,                                                                   \
                     RS_DETAIL_};                                                               \
           }                                                                                    \
         } rs_place_{{(is_compiled_)                                                            \
                          ? rs_site_enabled(&::ringside::detail::StreamSite<RsText>::site)      \
                          : std::uint8_t{0}}};                                                  \
         rs_place_.state != 0; rs_place_.state = 0)                                             \
      Record_<RsText>{RS_STATE_IN_SCOPE_(rs_place_.state)} &                                    \
          ::ringside::detail::Stream<Style_, ::ringside::detail::NoOperand> {}

#endif
