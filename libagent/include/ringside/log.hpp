#pragma once
/// @file
/// The log macros of Ringside in the style of printf, for C++17 and later. Nothing else, so that
/// including it takes little of the compiler's time; <ringside/ringside.hpp> has the functions too.

#if !defined(__cplusplus) || __cplusplus < 201703L
#error \
    "<ringside/log.hpp> needs C++17; with C++11 and C++14, <ringside/ringside.h> has the C interface"
#else

#include "abi.h"
#include "burst.hpp"
#include "category.h"
#include "each_argument.h"
#include "gate.h"
#include "level_sites.hpp"
#include "min_level.h"
#include "statement.hpp"
#include "typed_call.hpp"

// With RINGSIDE_USDT defined, each statement is also a probe for bpftrace, perf, gdb and SystemTap:
// provider `ringside`, name FILE_LINE, the arguments as its arguments. Define it for all files of a
// program: inline functions must be the same everywhere.
#if defined(RINGSIDE_USDT)
#include "usdt_probe.hpp"
#define RS_BOUND_CALL_ ::ringside::detail::ProbedCall<RsText, RsCall, RsArguments>
#define RS_PROBE_WITHOUT_ARGUMENTS_ ::ringside::detail::probe<RsText>();
#else
#define RS_BOUND_CALL_ ::ringside::detail::BoundCall<RsCall, RsArguments>
#define RS_PROBE_WITHOUT_ARGUMENTS_
#endif

/// Records a message.
///
/// The format is a string literal with the conversions of printf, except \%n and \%m. It is checked
/// against the arguments at compile time; a mismatch is an error. The arguments are evaluated only
/// while the statement is enabled. Strings are copied during the call. Not for constexpr functions.
///
/// A call takes about as long as reading the clock, some ten nanoseconds; while the statement is
/// disabled, less than one. It makes no system call, takes no lock and allocates no memory, except
/// for the first of the process, of a thread and of a statement, and when a ring is full. The other
/// styles cost the same with the same arguments.
///
/// The level can be a value that is only known when the statement runs. It is evaluated once. Each
/// level is then a statement of its own for all tools, from its first execution on. The call costs
/// what one with a constant level costs. A number below RS_LEVEL_TRACE counts as RS_LEVEL_TRACE;
/// one above RS_LEVEL_CRITICAL, RS_LEVEL_OFF too, as RS_LEVEL_CRITICAL.
///
/// @param level_  enum rs_level, ringside::Level or an integer
/// @param ...  format, then up to 255 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// Can be used in any thread, in signal handlers, and in constructors and destructors of static
/// objects. The first log call of a process allocates memory: call ringside::init() before a
/// handler is installed that can interrupt the allocator.
#define RS_LOG(level_, ...)                                                                      \
  RS_LEVEL_STATEMENT_(RS_STYLE_PRINTF, RsArguments::printf("" RS_FIRST_(__VA_ARGS__, )), level_, \
                      0, #__VA_ARGS__, __VA_ARGS__)

/// Records a message without reading the clock: the consumer sets the time when it reads the
/// record.
///
/// For loops in which even reading the clock costs too much. Times are as coarse as the polls of
/// the consumer. The option `clock` does this for every statement. Everything else is as with
/// RS_LOG.
///
/// @param level_  enum rs_level, ringside::Level or an integer
/// @param ...  format, then up to 255 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_LOG_CONSUMER_CLOCK(level_, ...)                                                       \
  RS_LEVEL_STATEMENT_(RS_STYLE_PRINTF, RsArguments::printf("" RS_FIRST_(__VA_ARGS__, )), level_, \
                      RS_SITE_CONSUMER_CLOCK, #__VA_ARGS__, __VA_ARGS__)

#define RS_STATEMENT_OF_(level_, flags_, arguments_, ...)                                         \
  RS_STYLED_STATEMENT_(RS_STYLE_PRINTF, RsArguments::printf("" RS_FIRST_(__VA_ARGS__, )), level_, \
                       flags_, arguments_, __VA_ARGS__)
// The arguments' text is taken in the outermost macro: further in, macros among them are expanded.
#define RS_STYLED_STATEMENT_(style_, signature_, level_, flags_, arguments_, ...)          \
  RS_FORMATTED_STATEMENT_(style_, "" RS_FIRST_(__VA_ARGS__, ), signature_, level_, flags_, \
                          arguments_, __VA_ARGS__)
// `format_`: a constant expression. Others' macros take formats that are not literals.
#define RS_FORMATTED_STATEMENT_(style_, format_, signature_, level_, flags_, arguments_, ...)    \
  do {                                                                                           \
    RS_DECLARE_STATEMENT_(style_, format_, signature_, level_, flags_, arguments_, __VA_ARGS__); \
    using RsSite = ::ringside::detail::Site<RsText, RsCall>;                                     \
    if constexpr (RS_IS_COMPILED_(level_)) {                                                     \
      RS_LIST_SITE_(RsSite::site);                                                               \
      if (const std::uint8_t rs_state_ = rs_site_enabled(&RsSite::site)) {                       \
        RS_BOUND_CALL_::record(&RsSite::site, RS_STATE_IN_SCOPE_(rs_state_), __VA_ARGS__);       \
      }                                                                                          \
    }                                                                                            \
  } while (0)
// The level is any expression. A constant one costs what RS_STYLED_STATEMENT_ costs.
#define RS_LEVEL_STATEMENT_(style_, signature_, level_, flags_, arguments_, ...)              \
  do {                                                                                        \
    RS_DECLARE_LEVEL_(level_);                                                                \
    RS_DECLARE_STATEMENT_(style_, "" RS_FIRST_(__VA_ARGS__, ), signature_, rs_level_, flags_, \
                          arguments_, __VA_ARGS__);                                           \
    using RsSites = ::ringside::detail::LevelSites<RsText, RsCall, rs_level_>;                \
    if constexpr (rs_level_ == 0 || RS_IS_COMPILED_(rs_level_)) {                             \
      rs_site* const rs_site_ =                                                               \
          RsSites::at(::ringside::detail::nearest_level(level_), (RS_MIN_LEVEL) + 0);         \
      const std::uint8_t rs_state_ = rs_site_ != nullptr ? rs_site_enabled(rs_site_) : 0;     \
      if (rs_state_ != 0) {                                                                   \
        RS_BOUND_CALL_::record(rs_site_, RS_STATE_IN_SCOPE_(rs_state_), __VA_ARGS__);         \
      }                                                                                       \
    }                                                                                         \
  } while (0)
// The level, or 0 if it is not a constant.
#define RS_DECLARE_LEVEL_(level_)                                                               \
  static constexpr std::uint8_t rs_level_ =                                                     \
      __builtin_constant_p(level_) ? ::ringside::detail::nearest_level(level_) : std::uint8_t { \
    0                                                                                           \
  }
// Defines RsArguments, RsCall and RsText.
#define RS_DECLARE_STATEMENT_(style_, format_, signature_, level_, flags_, arguments_, ...)     \
  [[maybe_unused]] static constexpr const char* rs_function_ = __builtin_FUNCTION();            \
  using RsArguments = decltype(::ringside::detail::arguments_of<style_>(__VA_ARGS__));          \
  static constexpr ::ringside::detail::Signature rs_signature_ = signature_;                    \
  using RsCheck = typename ::ringside::detail::StatementCheck<style_, rs_signature_.fault(),    \
                                                              RsArguments>::type;               \
  RS_REFUSE_(RsCheck, arguments_)                                                               \
  using RsCall =                                                                                \
      ::ringside::detail::Call<RsCheck::kIsAccepted, rs_signature_.codes[0],                    \
                               rs_signature_.codes[1], rs_signature_.codes[2],                  \
                               rs_signature_.codes[3],                                          \
                               rs_signature_.needs_itself() ? &rs_signature_ : nullptr,         \
                               std::conditional_t<rs_signature_.has_types, RsArguments, void>>; \
  struct RsText {                                                                               \
    RS_DEFINE_DETAIL_                                                                           \
    static constexpr rs_site site(const rs_signature* rs_types_) {                              \
      return {&rs_initial_switch, 0,       format_, __FILE__, rs_function_, arguments_,         \
              rs_types_,          nullptr, 0,       level_,   style_,       flags_,             \
              __LINE__,           0,       nullptr, nullptr,  RS_DETAIL_};                      \
    }                                                                                           \
  }
/* The message of clang shows what decides. That of g++ shows it only of a template, which takes
 * more of the compiler's time. */
#if defined(__clang__)
#define RS_REFUSE_(check_, arguments_) \
  static_assert(check_::kIsAccepted, "Ringside refuses (" arguments_ ")");
#else
#define RS_REFUSE_(check_, arguments_)                                                        \
  if constexpr (!check_::kIsAccepted) {                                                       \
    [&](auto rs_refused_) {                                                                   \
      static_assert(decltype(rs_refused_)::kIsAccepted, "Ringside refuses (" arguments_ ")"); \
    }(check_());                                                                              \
  }
#endif

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
