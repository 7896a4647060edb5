/** @file
 * NetLogger's call, for C11 and C++11 and later: an event by name, with constants and variables as
 * ULM.
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
 * costs as much as RS_INFO.
 *
 * The constant `LVL` sets the level of the statement: `LVL=Error` gives RS_LEVEL_ERROR. It takes
 * the names of Ringside, of ULM and of syslog (Emergency, Alert, Fatal, Err, Warn, Important), in
 * upper or lower case. Without it, or with another value, the level is RS_LEVEL_INFO. RS_MIN_LEVEL
 * sees the level in C++17; elsewhere it takes such a statement for one at RS_LEVEL_INFO.
 *
 * Types are checked at compile time, as those of RS_INFO. The form of the texts is checked at
 * compile time in C++17.
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

#include "required_platform.h"
/* Before all others. */
#include <stdarg.h>

#include "ringside.h"
#include "runtime_statement.h"

#ifdef __cplusplus
#if __cplusplus >= 201703L
#include "netlogger_text.hpp"
#endif

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

/** The same with the values in a list.
 *
 * @param handle  as for rs_netlogger_write()
 * @param event  the same
 * @param constants  the same
 * @param variables  the same
 * @param values  the values; undefined after the call, as after vprintf
 * @par Return value
 * None.
 * @par Thread safety
 * As rs_netlogger_write().
 */
RS_EXPORT void rs_netlogger_vwrite(struct rs_netlogger* handle, const char* event,
                                   const char* constants, const char* variables, va_list values)
    __attribute__((format(printf, 4, 0)));

/** The same with the values in an array, for foreign-function interfaces.
 *
 * A value has the type of its conversion: an integer of any width whose number fits it, a
 * floating-point number, or text. %ls, %lc and %Lf are refused.
 *
 * @param handle  as for rs_netlogger_write()
 * @param event  the same
 * @param constants  the same
 * @param variables  the same
 * @param values  the values; null if there are none
 * @param count  of the values
 * @return 1: recorded, or counted as lost because the ring has no space (rs_losses()); 0: the
 * statement is switched off, or its texts are invalid, which is counted as a loss; or an enum
 * rs_refusal (rs_refusal_text()): nothing is recorded. RS_REFUSED_HANDLE and RS_REFUSED_MEMORY are
 * counted as losses
 * @par Thread safety
 * As rs_netlogger_write().
 */
RS_EXPORT int32_t rs_netlogger_write_values(struct rs_netlogger* handle, const char* event,
                                            const char* constants, const char* variables,
                                            const struct rs_value* values, uint32_t count);

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

#if __cplusplus >= 201703L
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
                  "more than 255 constants in one NetLogger event");                               \
    static constexpr unsigned char rs_level_of_texts_ =                                            \
        ::ringside::detail::netlogger_level("" constants_);                                        \
    RS_STATEMENT_OF_(rs_level_of_texts_, RS_SITE_NETLOGGER, event_ "\0" constants_, __VA_ARGS__);  \
  } while (0)
#endif
#endif

#if !defined(__cplusplus) || __cplusplus < 201703L
#define RS_NETLOGGER_WRITE(event_, constants_, ...) \
  RS_STATEMENT_OF_(RS_LEVEL_INFO, RS_SITE_NETLOGGER, event_ "\0" constants_, __VA_ARGS__)
#endif

#endif
