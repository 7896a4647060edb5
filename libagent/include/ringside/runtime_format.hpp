#pragma once
/// @file
/// Statements whose formats are only known at run time, for C++17 and later: the slow path.

#include "format.hpp"
#include "runtime_call.hpp"

/// Records a message whose printf format is only known at run time.
///
///     RS_LOG_RUNTIME(RS_LEVEL_INFO, catalog.text(id), user, amount);
///
/// The slow path, for formats from a catalog or a configuration: a call takes about 14 times as
/// long as RS_LOG (perf/README.md, row `run_time`). A call with a new or an invalid format takes
/// microseconds, allocates and takes a lock. Each format of a place is a statement of its own for
/// all tools.
///
/// The format is checked when it is used first, by the parser that checks formats at compile time.
/// A call is never lost for its format. The record has the text of the format and the values
/// instead, as a statement in brace style with the field `format`, if
/// - the format is invalid, or does not match the arguments;
/// - the process has 4,096 statements that were registered at run time;
/// - there is no memory for a statement;
/// - the statement's texts have more than 16,384 bytes;
/// - the format is new and the call is made in a signal handler.
///
/// So a format from an untrusted source does no harm, except that it uses up the 4,096 statements.
/// Never put values into a format: RS_TEXT records a text that has them.
///
/// Arguments: bool, characters, integers of any width, enumerations as numbers, floating-point
/// numbers, pointers, and texts. Everything else is as with RS_LOG.
///
/// @param level_  enum rs_level, ringside::Level or an integer, as with RS_LOG
/// @param ...  the format, any text that RS_TEXT takes; then up to 254 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG. A handler on a signal stack of its own must not use a format that is new.
#define RS_LOG_RUNTIME(level_, ...) \
  RS_RUNTIME_STATEMENT_(RS_STYLE_PRINTF, level_, #__VA_ARGS__, __VA_ARGS__)

/// Records a message whose brace format is only known at run time.
///
/// As RS_LOG_RUNTIME, with the formats of RS_FMT. RS_NAMED gives an argument its name.
///
/// @param level_  enum rs_level, ringside::Level or an integer, as with RS_LOG
/// @param ...  the format, any text that RS_TEXT takes; then up to 254 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG_RUNTIME.
#define RS_FMT_RUNTIME(level_, ...) \
  RS_RUNTIME_STATEMENT_(RS_STYLE_BRACE, level_, #__VA_ARGS__, __VA_ARGS__)

// One full expression evaluates the format and the arguments: their temporaries exist until the
// end. The arguments are evaluated only while the statement is enabled.
#define RS_RUNTIME_STATEMENT_(style_, level_, arguments_, ...)                                     \
  do {                                                                                             \
    [[maybe_unused]] static constexpr const char* rs_function_ = __builtin_FUNCTION();             \
    using RsCall = typename ::ringside::detail::RuntimeArgumentsOf<                                \
        decltype(::ringside::detail::runtime_arguments_of(__VA_ARGS__))>;                          \
    struct RsText {                                                                                \
      RS_DEFINE_DETAIL_                                                                            \
      static constexpr rs_site site(const rs_signature* rs_types_) {                               \
        return {&rs_initial_switch,                                                                \
                0,                                                                                 \
                nullptr,                                                                           \
                __FILE__,                                                                          \
                rs_function_,                                                                      \
                arguments_ RS_FORMAT_FIELD_,                                                       \
                rs_types_,                                                                         \
                nullptr,                                                                           \
                0,                                                                                 \
                0,                                                                                 \
                RS_STYLE_BRACE,                                                                    \
                0,                                                                                 \
                __LINE__,                                                                          \
                0,                                                                                 \
                nullptr,                                                                           \
                nullptr,                                                                           \
                RS_DETAIL_};                                                                       \
      }                                                                                            \
    };                                                                                             \
    using RsSites = ::ringside::detail::UnformattedSites<RsText, RsCall>;                          \
    if (rs_site* const rs_unformatted_ =                                                           \
            RsSites::at(::ringside::detail::nearest_level(level_), (RS_MIN_LEVEL) + 0)) {          \
      ::ringside::detail::RuntimeCall rs_call_;                                                    \
      std::uint8_t rs_state_ = 0;                                                                  \
      static_cast<void>(                                                                           \
          rs_call_.find(rs_unformatted_, style_,                                                   \
                        ::ringside::detail::text_of(RS_FIRST_(__VA_ARGS__, ))) &&                  \
          (rs_state_ = rs_site_enabled(rs_call_.site())) != 0 &&                                   \
          RS_RUNTIME_CALL_::record(rs_call_, RS_STATE_IN_SCOPE_(rs_state_),                        \
                                   RS_REST_(__VA_ARGS__, ::ringside::detail::NoMoreArguments()))); \
    }                                                                                              \
  } while (0)
#define RS_REST_(first, ...) __VA_ARGS__
#if defined(RINGSIDE_USDT)
#define RS_RUNTIME_CALL_ ::ringside::detail::ProbedRuntimeCall<RsText, RsCall>
#else
#define RS_RUNTIME_CALL_ RsCall
#endif
