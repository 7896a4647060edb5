#pragma once
/// @file
/// The log macros of Ringside in the style of printf, for C++17 and later. Nothing else, so that
/// including it takes little of the compiler's time; <ringside/ringside.hpp> has the functions too.

#if !defined(__cplusplus) || __cplusplus < 201703L
#error \
    "<ringside/log.hpp> needs C++17; with C++11 and C++14, <ringside/ringside.h> has the C interface"
#else

#include "abi.h"
#include "statement.hpp"

/// Records a message at a constant level.
///
/// The format is a string literal with the conversions of printf, except \%n and \%m. It is checked
/// against the arguments at compile time; a mismatch is an error. The arguments are evaluated only
/// while the statement is enabled. Strings are copied during the call. Not for constexpr functions.
///
/// @param level_  enum rs_level, a constant
/// @param ...  format, then up to 32 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// Can be used in any thread, in signal handlers, and in constructors and destructors of static
/// objects. The first log call of a process allocates memory: call ringside::init() before a
/// handler is installed that can interrupt the allocator.
#define RS_LOG(level_, ...) RS_STATEMENT_OF_(level_, 0, #__VA_ARGS__, __VA_ARGS__)

/// Records a message without reading the clock: the consumer sets the time when it reads the
/// record.
///
/// For loops in which even reading the clock costs too much. Times are as coarse as the polls of
/// the consumer. The option `clock` does this for every statement. Everything else is as with
/// RS_LOG.
///
/// @param level_  enum rs_level, a constant
/// @param ...  format, then up to 32 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_LOG_CONSUMER_CLOCK(level_, ...) \
  RS_STATEMENT_OF_(level_, RS_SITE_CONSUMER_CLOCK, #__VA_ARGS__, __VA_ARGS__)

#define RS_STATEMENT_OF_(level_, flags_, arguments_, ...)                                 \
  RS_STYLED_STATEMENT_(RS_STYLE_PRINTF, RsArguments::printf("" RS_FIRST_(__VA_ARGS__, )), \
                       PrintfCheck, level_, flags_, arguments_, __VA_ARGS__)
// The arguments' text is taken in the outermost macro: further in, macros among them are expanded.
#define RS_STYLED_STATEMENT_(style_, signature_, Check_, level_, flags_, arguments_, ...)          \
  do {                                                                                             \
    [[maybe_unused]] static constexpr const char* rs_function_ = __builtin_FUNCTION();             \
    using RsArguments = decltype(::ringside::detail::arguments_of(__VA_ARGS__));                   \
    static constexpr ::ringside::detail::Signature rs_signature_ = signature_;                     \
    using RsCheck = ::ringside::detail::Check_<rs_signature_.mismatch, rs_signature_.format_error, \
                                               rs_signature_.conversion, rs_signature_.position,   \
                                               rs_signature_.argument, RsArguments>;               \
    static_assert(RsCheck::kIsSound, "Ringside refuses the statement (" arguments_ ")");           \
    using RsCall = ::ringside::detail::Call<                                                       \
        RsCheck::kIsSound, rs_signature_.codes[0], rs_signature_.codes[1], rs_signature_.codes[2], \
        rs_signature_.codes[3], rs_signature_.has_limits ? &rs_signature_ : nullptr>;              \
    struct RsText {                                                                                \
      static constexpr rs_site site(const rs_signature* rs_types_) {                               \
        return {&rs_initial_switch,                                                                \
                0,                                                                                 \
                "" RS_FIRST_(__VA_ARGS__, ),                                                       \
                __FILE__,                                                                          \
                rs_function_,                                                                      \
                arguments_,                                                                        \
                rs_types_,                                                                         \
                nullptr,                                                                           \
                0,                                                                                 \
                level_,                                                                            \
                style_,                                                                            \
                flags_,                                                                            \
                __LINE__,                                                                          \
                0,                                                                                 \
                nullptr,                                                                           \
                nullptr};                                                                          \
      }                                                                                            \
    };                                                                                             \
    using RsSite = ::ringside::detail::Site<RsText, RsCall>;                                       \
    RS_LIST_SITE_(RsSite::site);                                                                   \
    if (const std::uint8_t rs_state_ = rs_site_enabled(&RsSite::site)) {                           \
      ::ringside::detail::BoundCall<RsCall, RsArguments>::record(&RsSite::site, rs_state_,         \
                                                                 __VA_ARGS__);                     \
    }                                                                                              \
  } while (0)
#define RS_FIRST_(first, ...) first

/// RS_LOG at level trace.
#define RS_TRACE(...) RS_STATEMENT_OF_(RS_LEVEL_TRACE, 0, #__VA_ARGS__, __VA_ARGS__)
/// RS_LOG at level debug.
#define RS_DEBUG(...) RS_STATEMENT_OF_(RS_LEVEL_DEBUG, 0, #__VA_ARGS__, __VA_ARGS__)
/// RS_LOG at level info.
#define RS_INFO(...) RS_STATEMENT_OF_(RS_LEVEL_INFO, 0, #__VA_ARGS__, __VA_ARGS__)
/// RS_LOG at level notice.
#define RS_NOTICE(...) RS_STATEMENT_OF_(RS_LEVEL_NOTICE, 0, #__VA_ARGS__, __VA_ARGS__)
/// RS_LOG at level warning.
#define RS_WARNING(...) RS_STATEMENT_OF_(RS_LEVEL_WARNING, 0, #__VA_ARGS__, __VA_ARGS__)
/// RS_LOG at level error.
#define RS_ERROR(...) RS_STATEMENT_OF_(RS_LEVEL_ERROR, 0, #__VA_ARGS__, __VA_ARGS__)
/// RS_LOG at level critical.
#define RS_CRITICAL(...) RS_STATEMENT_OF_(RS_LEVEL_CRITICAL, 0, #__VA_ARGS__, __VA_ARGS__)

#endif
