/** @file
 * Ringside for C11: tracing at the cost of reading the clock.
 *
 *     RS_INFO("order %u filled at %.2f", id, price);
 *
 * Formats are string literals with printf's conversions, checked at compile time: a mismatch is
 * an error under every warning option except -w. `%n` is rejected: pointers to integers are not
 * accepted as arguments; print one with %p as (void*)pointer, and pass a wide string for %ls as
 * (const wchar_t*)L"text". Bit-fields are accepted; gcc requires a cast for those wider than int.
 * Arguments are evaluated only while the statement is switched on.
 * All functions and macros may be used from any thread.
 *
 * A C++ file gets <ringside/ringside.hpp>, which specialises every statement at compile time. With
 * C++11 and C++14 it gets the macros and functions of this header.
 */
#ifndef RINGSIDE_RINGSIDE_H
#define RINGSIDE_RINGSIDE_H

#include "required_platform.h"
/* Before all others. */
#include <stddef.h>

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates the segment now instead of at the first log call.
 *
 * Optional. The options are the defaults and the RINGSIDE_ variables of the environment. Further
 * calls change nothing. Call it before a signal handler that logs is installed.
 *
 * @return 1 if there is a segment; 0 if not, or if RINGSIDE_DISABLE is set. The reason is reported
 * on standard error once. Log calls try again.
 * @par Thread safety
 * Can be called from any thread; not in a signal handler. Blocks for a few milliseconds at most.
 */
RS_EXPORT int rs_init(void);

/** What happens when a thread's ring is full. */
enum rs_overflow {
  RS_OVERFLOW_BLOCK = 0,     /**< wait for space up to a bound; then drop and count */
  RS_OVERFLOW_DROP = 1,      /**< drop the newest record and count */
  RS_OVERFLOW_OVERWRITE = 2, /**< flight recorder: overwrite the oldest records */
};

/** Whether the library handles SIGBUS, which another process raises in this one by truncating the
 * segment. */
enum rs_truncation_guard {
  RS_TRUNCATION_GUARD_WHEN_SHARED = 0, /**< only if mode lets the group write to the segment */
  RS_TRUNCATION_GUARD_ON = 1,          /**< always */
  RS_TRUNCATION_GUARD_OFF = 2,         /**< never: the process ends by SIGBUS */
};

/* For block_timeout_ms and live_consumer_timeout_ms: wait as long as a consumer lives. */
#define RS_FOREVER UINT32_MAX

/** Options of rs_init_with(). RINGSIDE_ variables override them. A member that is 0 or null has the
 * default. Later versions add members at the end: struct_bytes says which version the caller has.
 */
struct rs_options {
  size_t struct_bytes;               /**< sizeof(struct rs_options); required */
  const char* service;               /**< name of the service; default: the executable's name */
  const char* shm_dir;               /**< directory of the segment; default: /dev/shm */
  uint64_t ring_bytes;               /**< per thread; a power of two, 4 KiB to 4 GiB */
  uint32_t max_threads;              /**< rings; records of further threads count as lost */
  uint32_t block_timeout_ms;         /**< bound of RS_OVERFLOW_BLOCK without a consumer; or
                                          RS_FOREVER: drop nothing while a consumer lives */
  uint32_t cost_sampling;            /**< measure about one in this many log calls */
  uint32_t mode;                     /**< of the segment: 0600, 0640, 0644, 0660 or 0664 */
  const char* group;                 /**< of the segment: a number, or a name in /etc/group */
  uint8_t overflow;                  /**< enum rs_overflow */
  uint8_t level;                     /**< enum rs_level; statements below it are disabled */
  uint8_t consumer_clock;            /**< 1: the consumer sets the time of records */
  uint32_t live_consumer_timeout_ms; /**< bound of RS_OVERFLOW_BLOCK with a live consumer, or
                                          RS_FOREVER */
  uint8_t truncation_guard;          /**< enum rs_truncation_guard */
  uint32_t absent_timeout_ms;        /**< bound of RS_OVERFLOW_BLOCK without a consumer, instead of
                                          block_timeout_ms; 100 ms if that is RS_FOREVER */
  int32_t processor_interval_ms;     /**< how old a thread's last check of its processor may be when
                                          it logs; negative: no processors are recorded */
};

/** Creates the segment with options.
 *
 * The options apply only if nothing has been logged yet. Texts are copied. To have no wait at all,
 * use RS_OVERFLOW_DROP instead of a block_timeout_ms of 0, which is the default.
 *
 * @param options  null: all defaults
 * @return as rs_init()
 * @par Thread safety
 * Can be called from any thread; not in a signal handler. Blocks for a few milliseconds at most.
 */
RS_EXPORT int rs_init_with(const struct rs_options* options);

/** Takes a ring with all its memory, so that the first log call costs no more than any other.
 *
 * Optional. Creates the segment if there is none. Log calls of the thread then never wake a
 * sleeping consumerd, which therefore does not sleep while the thread lives: an idle consumerd uses
 * some percent of a processor more.
 *
 * @return 1 if the thread has a whole ring, else 0. Log calls try again.
 * @par Thread safety
 * Can be called from any thread.
 */
RS_EXPORT int rs_preallocate(void);

/** Waits until everything that any thread recorded before the call is in the trace file.
 *
 * @param timeout_ms  how long to wait, in milliseconds
 * @return 1 if all is written; 0 if not within the time, for instance because no consumerd runs.
 * With RS_OVERFLOW_OVERWRITE 0 at once.
 * @par Thread safety
 * Can be called from any thread. Log calls of other threads continue.
 */
RS_EXPORT int rs_flush(uint64_t timeout_ms);

/** Waits until everything that any thread recorded before the call survives a crash of the machine:
 * it is in trace files, and consumerd has synced these to the disk.
 *
 * This works with any `consumerd --sync`; a call takes as long as the disk.
 *
 * @param timeout_ms  how long to wait, in milliseconds
 * @return 1 if all is durable; 0 if not within the time; 0 at once if the consumerd that serves the
 * process is too old for this, and with RS_OVERFLOW_OVERWRITE. If a sync has failed, 0 for each
 * call that began before one has returned 0 for it: records from before may be missing after a
 * crash then, even if later calls return 1.
 * @par Thread safety
 * Can be called from any thread. Log calls of other threads continue.
 */
RS_EXPORT int rs_flush_durable(uint64_t timeout_ms);

/** Asks consumerd to continue the trace of this process in a new file.
 *
 * Call rs_flush() first if everything that was recorded before must be in the earlier file.
 *
 * @param timeout_ms  how long to wait for the new file, in milliseconds; 0: not at all
 * @return 0 if there is no segment, or if the new file does not exist within the time, for instance
 * because no consumerd runs. The next consumerd answers the request then. 1 otherwise; with a
 * timeout of 0, if the request was made.
 * @par Thread safety
 * Can be called from any thread; not in a signal handler. Log calls of other threads continue.
 */
RS_EXPORT int rs_rotate(uint64_t timeout_ms);

/** Counts the records of this process that are lost for a cause.
 *
 * Counts since the start of the process, in the child of a fork since the fork, over all threads,
 * ended ones included.
 *
 * @param cause  RS_LOSS_ANY: all causes together
 * @return the number of records; 0 for an unknown cause
 * @par Thread safety
 * Can be called from any thread. Takes a lock; not for signal handlers.
 */
RS_EXPORT uint64_t rs_losses(enum rs_loss_cause cause);

/** Disables statements below a level and enables all others.
 *
 * Applies to statements that never ran, and replaces earlier changes of single statements.
 *
 * @param level  enum rs_level; RS_LEVEL_OFF disables all statements
 * @par Return value
 * None. Log calls see the change at once.
 * @par Thread safety
 * Can be called from any thread; not in a signal handler.
 */
RS_EXPORT void rs_set_level(int level);

/** The level in force: of rs_set_level(), of the options and RINGSIDE_LEVEL, or set by `ringctl
 * level` or a trigger, also for a limited time.
 *
 * @return enum rs_level; statements below it are disabled. RS_LEVEL_OFF if RINGSIDE_DISABLE is set.
 * @par Thread safety
 * Can be called from any thread; not in a signal handler.
 */
RS_EXPORT int rs_get_level(void);

/** For a service with a handler of SIGBUS of its own, installed after the library's: survives the
 * access to a truncated segment.
 *
 * Call it first in the handler, which must have SA_SIGINFO. Has no effect unless the truncation
 * guard is on (rs_options.truncation_guard).
 *
 * @param info  the siginfo_t of the handler
 * @return 1: the handler must return, and the interrupted log call continues; 0: the signal has
 * nothing to do with Ringside
 * @par Thread safety
 * Can be called from any thread, in signal handlers.
 */
RS_EXPORT int rs_handle_sigbus(const void* info);

/** Installs handlers of the signals of crashes, which leave a last record: the signal, the address,
 * the registers and the stack of the thread.
 *
 * `ringcat crash` prints it. As ringside::install_crash_handler() of <ringside/crash.hpp>, which
 * describes it.
 *
 * @return 1 if the handlers are installed and there is a segment; 0 if something is missing:
 * crashes may then leave no record
 * @par Thread safety
 * Can be called from any thread; not in a signal handler. Blocks for a few milliseconds at most.
 */
RS_EXPORT int rs_install_crash_handler(void);

#ifdef __cplusplus
}
#if __cplusplus >= 201703L
#include "ringside.hpp" /* NOLINT */
#elif __cplusplus >= 201103L
#include "older_log.hpp"
#endif
#else
#include "c_statement.h"
#endif

#if !defined(__cplusplus) || __cplusplus < 201703L

/** Records a message at a constant level.
 *
 * The format is a string literal with the conversions of printf, except \%n and \%m. The compiler
 * checks it against the arguments; a mismatch is an error. The arguments are evaluated only while
 * the statement is enabled. Strings are copied during the call.
 *
 * RS_TRACE, RS_DEBUG, RS_INFO, RS_NOTICE, RS_WARNING, RS_ERROR and RS_CRITICAL are RS_LOG at one
 * level.
 *
 * @param level_  enum rs_level, a constant
 * @param ...  format, then up to 255 arguments
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * Can be used in any thread, in signal handlers, and in constructors and destructors of static
 * objects. The first log call of a process allocates memory: call rs_init() before a handler is
 * installed that can interrupt the allocator.
 */
#define RS_LOG(level_, ...) RS_STATEMENT_OF_(level_, 0, #__VA_ARGS__, __VA_ARGS__)

/** Records a message without reading the clock: the consumer sets the time when it reads the
 * record.
 *
 * For loops in which even reading the clock costs too much. Times are as coarse as the polls of the
 * consumer. Everything else is as with RS_LOG.
 *
 * @param level_  enum rs_level, a constant
 * @param ...  format, then up to 255 arguments
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG.
 */
#define RS_LOG_CONSUMER_CLOCK(level_, ...) \
  RS_STATEMENT_OF_(level_, RS_SITE_CONSUMER_CLOCK, #__VA_ARGS__, __VA_ARGS__)

/** RS_LOG at level trace. */
#define RS_TRACE(...) RS_STATEMENT_OF_(RS_LEVEL_TRACE, 0, #__VA_ARGS__, __VA_ARGS__)
/** RS_LOG at level debug. */
#define RS_DEBUG(...) RS_STATEMENT_OF_(RS_LEVEL_DEBUG, 0, #__VA_ARGS__, __VA_ARGS__)
/** RS_LOG at level info. */
#define RS_INFO(...) RS_STATEMENT_OF_(RS_LEVEL_INFO, 0, #__VA_ARGS__, __VA_ARGS__)
/** RS_LOG at level notice. */
#define RS_NOTICE(...) RS_STATEMENT_OF_(RS_LEVEL_NOTICE, 0, #__VA_ARGS__, __VA_ARGS__)
/** RS_LOG at level warning. */
#define RS_WARNING(...) RS_STATEMENT_OF_(RS_LEVEL_WARNING, 0, #__VA_ARGS__, __VA_ARGS__)
/** RS_LOG at level error. */
#define RS_ERROR(...) RS_STATEMENT_OF_(RS_LEVEL_ERROR, 0, #__VA_ARGS__, __VA_ARGS__)
/** RS_LOG at level critical. */
#define RS_CRITICAL(...) RS_STATEMENT_OF_(RS_LEVEL_CRITICAL, 0, #__VA_ARGS__, __VA_ARGS__)

#endif /* C, or C++ before C++17 */

#endif
