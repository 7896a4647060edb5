/** @file
 * Ringside for C11: tracing at the cost of reading the clock.
 *
 *     RS_INFO("order %u filled at %.2f", id, price);
 *
 * Formats are string literals with printf's conversions, checked at compile time: a mismatch is
 * an error under every warning option except -w. `%n` is rejected: pointers to integers are not
 * accepted as arguments; print one with %p as (void*)pointer, and pass a wide string for %ls as
 * (const wchar_t*)L"text". Arguments are evaluated only while the statement is switched on.
 * All functions and macros may be used from any thread.
 *
 * A C++ file gets <ringside/ringside.hpp>, which specialises every statement at compile time.
 */
#ifndef RINGSIDE_RINGSIDE_H
#define RINGSIDE_RINGSIDE_H

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

/** Options of rs_init_with(). RINGSIDE_ variables override them. A member that is 0 or null has the
 * default. Later versions add members at the end: struct_bytes says which version the caller has.
 */
struct rs_options {
  size_t struct_bytes;               /**< sizeof(struct rs_options); required */
  const char* service;               /**< name of the service; default: the executable's name */
  const char* shm_dir;               /**< directory of the segment; default: /dev/shm */
  uint64_t ring_bytes;               /**< per thread; a power of two, 64 KiB to 4 GiB */
  uint32_t max_threads;              /**< rings; records of further threads count as lost */
  uint32_t block_timeout_ms;         /**< bound of RS_OVERFLOW_BLOCK without a consumer */
  uint32_t cost_sampling;            /**< measure about one in this many log calls */
  uint32_t mode;                     /**< of the segment: 0600, 0640, 0644, 0660 or 0664 */
  const char* group;                 /**< of the segment: a number, or a name in /etc/group */
  uint8_t overflow;                  /**< enum rs_overflow */
  uint8_t level;                     /**< enum rs_level; statements below it are disabled */
  uint8_t consumer_clock;            /**< 1: the consumer sets the time of records */
  uint32_t live_consumer_timeout_ms; /**< bound of RS_OVERFLOW_BLOCK with a live consumer */
  uint8_t truncation_guard;          /**< enum rs_truncation_guard */
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

/** Takes a ring for the calling thread, so that its first log call costs no more than any other.
 *
 * Optional. Creates the segment if there is none.
 *
 * @return 1 if the thread has a ring, else 0. Log calls try again.
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

#ifdef __cplusplus
}
#include "ringside.hpp" /* NOLINT */
#else

#include <wchar.h>

static inline struct rs_arg rs_arg_integer_(int64_t v) {
  struct rs_arg a;
  a.kind = RS_ARG_INTEGER;
  a.value.integer = (uint64_t)v;
  return a;
}
static inline struct rs_arg rs_arg_unsigned_(uint64_t v) {
  struct rs_arg a;
  a.kind = RS_ARG_INTEGER;
  a.value.integer = v;
  return a;
}
static inline struct rs_arg rs_arg_double_(double v) {
  struct rs_arg a;
  a.kind = RS_ARG_DOUBLE;
  a.value.number = v;
  return a;
}
static inline struct rs_arg rs_arg_long_double_(long double v) {
  struct rs_arg a;
  a.kind = RS_ARG_LONG_DOUBLE;
  __builtin_memcpy(a.value.long_number, &v, sizeof v);
  return a;
}
static inline struct rs_arg rs_arg_pointer_(const void* v) {
  struct rs_arg a;
  a.kind = RS_ARG_POINTER;
  a.value.pointer = v;
  return a;
}

/* Pointers to integers other than characters are missing on purpose: only %n needs them. Because
 * wchar_t is an integer too, a wide string must be a const wchar_t*, which %n cannot take. */
#define RS_ARG_(x) \
  _Generic((x), _Bool: rs_arg_integer_, char: rs_arg_integer_, signed char: rs_arg_integer_,    \
           short: rs_arg_integer_, int: rs_arg_integer_, long: rs_arg_integer_,                 \
           long long: rs_arg_integer_, unsigned char: rs_arg_unsigned_,                         \
           unsigned short: rs_arg_unsigned_, unsigned: rs_arg_unsigned_,                        \
           unsigned long: rs_arg_unsigned_, unsigned long long: rs_arg_unsigned_,               \
           float: rs_arg_double_, double: rs_arg_double_, long double: rs_arg_long_double_,     \
           char*: rs_arg_pointer_, const char*: rs_arg_pointer_,                                \
           unsigned char*: rs_arg_pointer_, const unsigned char*: rs_arg_pointer_,              \
           const wchar_t*: rs_arg_wide_, void*: rs_arg_pointer_,                                \
           const void*: rs_arg_pointer_)(x)

static inline struct rs_arg rs_arg_wide_(const wchar_t* v) {
  return rs_arg_pointer_(v);
}

/* Never called: lets the compiler check the format. */
__attribute__((format(printf, 1, 2))) static inline void rs_check_format_(const char* format, ...) {
  (void)format;
}

#define RS_STATEMENT_OF_(level_, flags_, arguments_, ...)                                      \
  do {                                                                                         \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wformat\"")                \
        _Pragma("GCC diagnostic error \"-Wformat-extra-args\"")                                \
            _Pragma("GCC diagnostic ignored \"-Wformat-zero-length\"") if (0)                  \
                rs_check_format_(__VA_ARGS__);                                                 \
    _Pragma("GCC diagnostic pop") static struct rs_field rs_fields_[RS_MAX_FIELDS];            \
    static struct rs_site rs_site_ = {.state = &rs_initial_switch,                             \
                                      .format = "" RS_FIRST_(__VA_ARGS__, 0),                  \
                                      .file = __FILE__,                                        \
                                      .function = __func__,                                    \
                                      .arguments = arguments_,                                 \
                                      .fields = rs_fields_,                                    \
                                      .level = (level_),                                       \
                                      .style = RS_STYLE_PRINTF,                                \
                                      .flags = (flags_),                                       \
                                      .line = __LINE__};                                       \
    static struct rs_site* const rs_listed_ __attribute__((section("ringside_sites"), used)) = \
        &rs_site_;                                                                             \
    const uint8_t rs_state_ = rs_site_enabled(&rs_site_);                                      \
    if (rs_state_) {                                                                           \
      const struct rs_arg rs_args_[] = {RS_ARGS_(__VA_ARGS__) rs_arg_integer_(0)};             \
      rs_record_args(&rs_site_, rs_state_, rs_args_,                                           \
                     (uint32_t)(sizeof rs_args_ / sizeof rs_args_[0]) - 1);                    \
    }                                                                                          \
  } while (0)
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
 * @param ...  format, then up to 32 arguments
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
 * @param ...  format, then up to 32 arguments
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG.
 */
#define RS_LOG_CONSUMER_CLOCK(level_, ...) \
  RS_STATEMENT_OF_(level_, RS_SITE_CONSUMER_CLOCK, #__VA_ARGS__, __VA_ARGS__)

#define RS_FIRST_(first, ...) first

/* RS_ARGS_(format, a, b, ...) -> RS_ARG_(a), RS_ARG_(b), ... */
#define RS_COUNT_(f, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, \
                  a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n,  \
                  ...)                                                                           \
  n
#define RS_JOIN_(a, b) a##b
#define RS_JOINED_(a, b) RS_JOIN_(a, b)
#define RS_ARGS_(...)                                                                           \
  RS_JOINED_(RS_ARGS_,                                                                          \
             RS_COUNT_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
                       17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0))        \
  (__VA_ARGS__)
#define RS_ARGS_0(f)
#define RS_ARGS_1(f, a) RS_ARG_(a),
#define RS_ARGS_2(f, a, ...) RS_ARG_(a), RS_ARGS_1(f, __VA_ARGS__)
#define RS_ARGS_3(f, a, ...) RS_ARG_(a), RS_ARGS_2(f, __VA_ARGS__)
#define RS_ARGS_4(f, a, ...) RS_ARG_(a), RS_ARGS_3(f, __VA_ARGS__)
#define RS_ARGS_5(f, a, ...) RS_ARG_(a), RS_ARGS_4(f, __VA_ARGS__)
#define RS_ARGS_6(f, a, ...) RS_ARG_(a), RS_ARGS_5(f, __VA_ARGS__)
#define RS_ARGS_7(f, a, ...) RS_ARG_(a), RS_ARGS_6(f, __VA_ARGS__)
#define RS_ARGS_8(f, a, ...) RS_ARG_(a), RS_ARGS_7(f, __VA_ARGS__)
#define RS_ARGS_9(f, a, ...) RS_ARG_(a), RS_ARGS_8(f, __VA_ARGS__)
#define RS_ARGS_10(f, a, ...) RS_ARG_(a), RS_ARGS_9(f, __VA_ARGS__)
#define RS_ARGS_11(f, a, ...) RS_ARG_(a), RS_ARGS_10(f, __VA_ARGS__)
#define RS_ARGS_12(f, a, ...) RS_ARG_(a), RS_ARGS_11(f, __VA_ARGS__)
#define RS_ARGS_13(f, a, ...) RS_ARG_(a), RS_ARGS_12(f, __VA_ARGS__)
#define RS_ARGS_14(f, a, ...) RS_ARG_(a), RS_ARGS_13(f, __VA_ARGS__)
#define RS_ARGS_15(f, a, ...) RS_ARG_(a), RS_ARGS_14(f, __VA_ARGS__)
#define RS_ARGS_16(f, a, ...) RS_ARG_(a), RS_ARGS_15(f, __VA_ARGS__)
#define RS_ARGS_17(f, a, ...) RS_ARG_(a), RS_ARGS_16(f, __VA_ARGS__)
#define RS_ARGS_18(f, a, ...) RS_ARG_(a), RS_ARGS_17(f, __VA_ARGS__)
#define RS_ARGS_19(f, a, ...) RS_ARG_(a), RS_ARGS_18(f, __VA_ARGS__)
#define RS_ARGS_20(f, a, ...) RS_ARG_(a), RS_ARGS_19(f, __VA_ARGS__)
#define RS_ARGS_21(f, a, ...) RS_ARG_(a), RS_ARGS_20(f, __VA_ARGS__)
#define RS_ARGS_22(f, a, ...) RS_ARG_(a), RS_ARGS_21(f, __VA_ARGS__)
#define RS_ARGS_23(f, a, ...) RS_ARG_(a), RS_ARGS_22(f, __VA_ARGS__)
#define RS_ARGS_24(f, a, ...) RS_ARG_(a), RS_ARGS_23(f, __VA_ARGS__)
#define RS_ARGS_25(f, a, ...) RS_ARG_(a), RS_ARGS_24(f, __VA_ARGS__)
#define RS_ARGS_26(f, a, ...) RS_ARG_(a), RS_ARGS_25(f, __VA_ARGS__)
#define RS_ARGS_27(f, a, ...) RS_ARG_(a), RS_ARGS_26(f, __VA_ARGS__)
#define RS_ARGS_28(f, a, ...) RS_ARG_(a), RS_ARGS_27(f, __VA_ARGS__)
#define RS_ARGS_29(f, a, ...) RS_ARG_(a), RS_ARGS_28(f, __VA_ARGS__)
#define RS_ARGS_30(f, a, ...) RS_ARG_(a), RS_ARGS_29(f, __VA_ARGS__)
#define RS_ARGS_31(f, a, ...) RS_ARG_(a), RS_ARGS_30(f, __VA_ARGS__)
#define RS_ARGS_32(f, a, ...) RS_ARG_(a), RS_ARGS_31(f, __VA_ARGS__)

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

/* Statements of this program or shared object, known from load time. Every file that includes this
 * header calls it; the library adds each statement once. */
__attribute__((constructor)) static void rs_load_sites_(void) {
  rs_sites_loaded(__start_ringside_sites, __stop_ringside_sites);
}
__attribute__((destructor)) static void rs_unload_sites_(void) {
  rs_sites_unloaded(__start_ringside_sites, __stop_ringside_sites);
}

#endif /* !__cplusplus */

#endif
