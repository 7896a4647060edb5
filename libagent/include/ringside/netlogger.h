/* NetLogger's call, for C11 and C++20: an event by name, with constants and variables as ULM.
 *
 *   RS_NETLOGGER_WRITE("disk.read", "Device=3 Mode=direct", "Bytes=%d Seconds=%f File=%s",
 *                      bytes, seconds, file);
 *
 * The three texts are string literals. `constants` is words `name=value` between blanks, a value
 * with blanks in double quotes; numbers become numbers, all else is text. `variables` is words
 * `name=%conversion`, one conversion of printf each, without `*`. Either may be empty. Event and
 * constants are written once; a call records the values of the variables, and costs what RS_INFO
 * costs. Level, time, switches and losses are those of RS_INFO.
 *
 * Types are checked at compile time as those of RS_INFO. What the texts look like is checked at
 * compile time in C++; a C statement whose texts are none of the above is counted as lost
 * (RS_LOSS_DICTIONARY_FULL).
 */
#ifndef RINGSIDE_NETLOGGER_H
#define RINGSIDE_NETLOGGER_H

#include "ringside.h"

#ifdef __cplusplus
#include "netlogger_text.hpp"

extern "C" {
#endif

/* The same for texts that are known at run time only. A handle keeps what its texts, parsed once,
 * have become: up to 4096 different calls, further ones are counted as lost. Any number of threads
 * may write with a handle, without waiting for each other. The first call with a text allocates
 * memory, so it is not for signal handlers; later ones cost some hundreds of nanoseconds at most.
 */
struct rs_netlogger;

/* NULL if there is no memory: what is written with that is counted as lost. */
RS_EXPORT struct rs_netlogger* rs_netlogger_open(void);

/* Records the event. Texts are copied when they are first seen. */
RS_EXPORT void rs_netlogger_write(struct rs_netlogger* handle, const char* event,
                                  const char* constants, const char* variables, ...)
    __attribute__((format(printf, 4, 5)));

/* Frees the handle, which no thread may use any more. NULL is allowed. What was written stays. */
RS_EXPORT void rs_netlogger_close(struct rs_netlogger* handle);

#ifdef __cplusplus
}

#define RS_NETLOGGER_WRITE(event_, constants_, ...)                                              \
  do {                                                                                           \
    using RsError = ::ringside::detail::NetloggerError;                                          \
    constexpr RsError rs_error_ = ::ringside::detail::netlogger_error(                           \
        "" event_, "" constants_, "" RS_FIRST_(__VA_ARGS__, ));                                  \
    static_assert(rs_error_ != RsError::no_event, "a NetLogger event needs a name");             \
    static_assert(rs_error_ != RsError::no_pair,                                                 \
                  "NetLogger's constants and variables are words of the form name=value");       \
    static_assert(rs_error_ != RsError::open_quote, "a quoted NetLogger constant does not end"); \
    static_assert(rs_error_ != RsError::name_too_long,                                           \
                  "the name of a NetLogger field is longer than 255 bytes");                     \
    static_assert(rs_error_ != RsError::no_conversion,                                           \
                  "the value of a NetLogger variable is one conversion and nothing else");       \
    static_assert(rs_error_ != RsError::star, "a NetLogger variable takes one argument: no *");  \
    static_assert(rs_error_ != RsError::too_many_constants,                                      \
                  "more than 32 constants in one NetLogger event");                              \
    RS_STATEMENT_OF_(RS_LEVEL_INFO, RS_SITE_NETLOGGER, event_ "\0" constants_, __VA_ARGS__);     \
  } while (0)
#else
#define RS_NETLOGGER_WRITE(event_, constants_, ...) \
  RS_STATEMENT_OF_(RS_LEVEL_INFO, RS_SITE_NETLOGGER, event_ "\0" constants_, __VA_ARGS__)
#endif

#endif
