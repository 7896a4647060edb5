/** @file
 * NetLogger's call, for C11 and C++20: an event by name, with constants and variables as ULM.
 */
/** @def RS_NETLOGGER_WRITE
 * Records an event with a name, constants and variables.
 *
 *     RS_NETLOGGER_WRITE("disk.read", "Device=3 Mode=direct", "Bytes=%d Seconds=%f File=%s",
 *                        bytes, seconds, file);
 *
 * The three texts are string literals. Constants are words `name=value` separated by blanks; a
 * value with blanks is in double quotes. Numbers are stored as numbers, other values as text.
 * Variables are words `name=conversion` with one conversion of printf each, without `*`. Both can
 * be empty. Event and constants are stored once. A call records the values of the variables and
 * costs as much as RS_INFO; level, time and switches are those of RS_INFO.
 *
 * Types are checked at compile time, as those of RS_INFO. The form of the texts is checked at
 * compile time in C++.
 *
 * @param event_  name of the event
 * @param constants_  constants
 * @param ...  variables, then their values
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses(). In C, a statement with
 * invalid texts is counted as lost (RS_LOSS_DICTIONARY_FULL).
 * @par Thread safety
 * As RS_LOG.
 */
#ifndef RINGSIDE_NETLOGGER_H
#define RINGSIDE_NETLOGGER_H

#include "ringside.h"

#ifdef __cplusplus
#include "netlogger_text.hpp"

extern "C" {
#endif

/** Handle for events whose texts are only known at run time. */
struct rs_netlogger;

/** Opens a handle for rs_netlogger_write().
 *
 * Open one handle for the process, not one for each request: statements of a closed handle stay in
 * the dictionary.
 *
 * @return the handle; NULL if there is no memory. Events written with NULL are counted as lost.
 * @par Thread safety
 * Can be called from any thread; not in a signal handler.
 */
RS_EXPORT struct rs_netlogger* rs_netlogger_open(void);

/** Records an event whose texts are only known at run time.
 *
 * The texts are those of RS_NETLOGGER_WRITE. They are parsed and copied when they are first seen.
 * A handle keeps up to 4,096 different statements; further ones are counted as lost. The first call
 * with a text allocates memory; later ones cost some hundreds of nanoseconds at most.
 *
 * @param handle  from rs_netlogger_open(); NULL is allowed
 * @param event  name of the event
 * @param constants  constants
 * @param variables  variables; their values follow
 * @param ...  the values
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * Any number of threads can use a handle without waiting for each other. Not for signal handlers.
 */
RS_EXPORT void rs_netlogger_write(struct rs_netlogger* handle, const char* event,
                                  const char* constants, const char* variables, ...)
    __attribute__((format(printf, 4, 5)));

/** Closes a handle. Records that were written with it are kept.
 *
 * @param handle  NULL is allowed
 * @par Return value
 * None.
 * @par Thread safety
 * No other thread may use the handle during the call or after it.
 */
RS_EXPORT void rs_netlogger_close(struct rs_netlogger* handle);

#ifdef __cplusplus
}

#define RS_NETLOGGER_WRITE(event_, constants_, ...)                                                \
  do {                                                                                             \
    using RsError = ::ringside::detail::NetloggerError;                                            \
    constexpr RsError rs_error_ = ::ringside::detail::netlogger_error(                             \
        "" event_, "" constants_, "" RS_FIRST_(__VA_ARGS__, ));                                    \
    static_assert(rs_error_ != RsError::no_event, "a NetLogger event needs a name");               \
    static_assert(rs_error_ != RsError::no_pair,                                                   \
                  "NetLogger constants and variables must have the form name=value");              \
    static_assert(rs_error_ != RsError::open_quote, "unterminated quote in a NetLogger constant"); \
    static_assert(rs_error_ != RsError::name_too_long,                                             \
                  "the name of a NetLogger field is longer than 255 bytes");                       \
    static_assert(rs_error_ != RsError::no_conversion,                                             \
                  "the value of a NetLogger variable must be exactly one conversion");             \
    static_assert(rs_error_ != RsError::star,                                                      \
                  "a NetLogger variable takes one argument: * is not supported");                  \
    static_assert(rs_error_ != RsError::too_many_constants,                                        \
                  "more than 32 constants in one NetLogger event");                                \
    RS_STATEMENT_OF_(RS_LEVEL_INFO, RS_SITE_NETLOGGER, event_ "\0" constants_, __VA_ARGS__);       \
  } while (0)
#else
#define RS_NETLOGGER_WRITE(event_, constants_, ...) \
  RS_STATEMENT_OF_(RS_LEVEL_INFO, RS_SITE_NETLOGGER, event_ "\0" constants_, __VA_ARGS__)
#endif

#endif
