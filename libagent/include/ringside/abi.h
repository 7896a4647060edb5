/** @file
 * The interface between the inlined record path of an application and the library. C11, and C++17
 * and later.
 *
 * Not for direct use, except enum rs_level and enum rs_loss_cause: <ringside/ringside.hpp> and
 * <ringside/ringside.h> are the interfaces. Everything here is bound to the library's soname; the
 * layout of shared memory is in shm-layout/.
 */
#ifndef RINGSIDE_ABI_H
#define RINGSIDE_ABI_H

#include "required_platform.h"
/* Before all others. */
#include <stdint.h>

#include "recorded_fields.h"
#include "required_standard.h"
#include "x87_bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RS_EXPORT __attribute__((visibility("default")))

/* The record path. A C++ log call makes one call, to the function that all statements with the same
 * types of arguments share, and everything else is inlined into that function. Compilers stop
 * inlining in a file with some dozens of statements; further calls would cost a quarter more. */
#define RS_HOT static inline __attribute__((always_inline))

/** Severity of a statement, and threshold. */
enum rs_level {
  RS_LEVEL_TRACE = 1,    /**< every step */
  RS_LEVEL_DEBUG = 2,    /**< detail for developers */
  RS_LEVEL_INFO = 3,     /**< normal operation */
  RS_LEVEL_NOTICE = 4,   /**< normal, but worth attention */
  RS_LEVEL_WARNING = 5,  /**< unexpected; the service continues */
  RS_LEVEL_ERROR = 6,    /**< an operation failed */
  RS_LEVEL_CRITICAL = 7, /**< the service cannot continue as intended */
  RS_LEVEL_OFF = 8       /**< as a threshold: nothing is recorded */
};

/** Why records are lost. Numbers and names are those of trace files and tools. */
enum rs_loss_cause {
  RS_LOSS_ANY = 0,              /**< sum of all causes, without RS_LOSS_TOO_LARGE */
  RS_LOSS_RING_FULL = 1,        /**< a live consumer was too slow */
  RS_LOSS_NO_CONSUMER = 2,      /**< the ring was full and no consumer made progress */
  RS_LOSS_NO_RING = 5,          /**< more threads than rings */
  RS_LOSS_NO_SHARED_MEMORY = 6, /**< no memory for a segment, a ring or the dictionary */
  RS_LOSS_DICTIONARY_FULL = 7,  /**< the statement could not be registered */
  RS_LOSS_QUARANTINED = 8,      /**< the consumer had quarantined the ring */
  RS_LOSS_TOO_LARGE = 10,       /**< recorded, but strings were cut: the record is not lost */
  RS_LOSS_ABANDONED = 13        /**< a signal handler left the log call (siglongjmp) */
};

/* Values of a statement's switch (shm-layout/site_switch.hpp). */
#define RS_SWITCH_OFF 0
#define RS_SWITCH_ON 1
#define RS_SWITCH_ON_CONSUMER_CLOCK 3 /* higher values: decided by the library */
#define RS_SWITCH_UNREGISTERED 5
/* Not a switch: an enabled statement is executed in the scope of a ringside::Burst. */
#define RS_STATE_IN_BURST 2

/* rs_site.style: the syntax of the format (shm-layout/format_style.hpp). */
#define RS_STYLE_NONE 0 /* an event: the format is its name */
#define RS_STYLE_PRINTF 1
#define RS_STYLE_BRACE 2
#define RS_STYLE_CONTEXT 3 /* the statement of a context: none */

/* rs_site.flags: records carry no time, the consumer stamps them when it reads them. */
#define RS_SITE_CONSUMER_CLOCK 1
/* rs_site.flags: an event of <ringside/netlogger.h>. `format` has its variables, `arguments` its
 * name, a NUL and its constants. */
#define RS_SITE_NETLOGGER 2
/* rs_site.flags: a statement of <ringside/stream.hpp>. `format` is null before its first execution,
 * then a struct rs_stream (stream_site.hpp). */
#define RS_SITE_STREAM 4
/* rs_site.flags: the same, for texts that vary. Entered into the dictionary when it is first used.
 */
#define RS_SITE_STREAM_VARYING 8

/* rs_site.flags: rs_record_args() must record it, because conversions change how the arguments are
 * stored. Set at registration. */
#define RS_SITE_BY_FORMAT 16

/* rs_site.flags: entered into the dictionary when it is first used, not when it is loaded. The
 * library clears it then. */
#define RS_SITE_ON_FIRST_USE 32

/* rs_site.flags: a span, a counter, a histogram. Events otherwise. */
#define RS_SITE_SPAN 64
#define RS_SITE_COUNTER 128
#define RS_SITE_HISTOGRAM (RS_SITE_SPAN | RS_SITE_COUNTER)

/* What only some statements have. Static storage. Any pointer may be null. */
struct rs_site_detail {
  const char* name; /* of an event */
  const char* category;
  uint64_t keywords;
  const char* const* constants; /* of a C event, by argument: those with RS_GIVEN_CONSTANT */
};

/* One statement. Static storage. `state` is the statement's switch in the segment; before it is
 * registered there it points to rs_initial_switch. */
struct rs_site {
  const uint8_t* state; /* atomic: release at registration, acquire by log calls */
  uint64_t id;          /* the low bits of a record's head; written before `state` */
  const char* format;
  const char* file;
  const char* function;
  const char* arguments;                /* source text of the arguments: names the fields */
  const struct rs_signature* signature; /* null: `fields` */
  struct rs_field* fields;              /* C: completed at registration */
  uint8_t field_count;                  /* of `fields` */
  uint8_t level;
  uint8_t style; /* of the format: shm-layout/format_style.hpp */
  uint8_t flags;
  uint32_t line;
  uint64_t unbooked_refusals; /* atomic: records lost before the statement was registered */
  struct rs_site* next;       /* every statement of the process, whether executed or not */
  struct rs_site* previous;
  const struct rs_site_detail* detail; /* or null */
};

/* The calling thread's end of its ring: one cache line, written by log calls only, and times.
 * Positions are those of shm-layout/ring_metadata.hpp. `pos` runs ahead of `published` while a
 * record is being written; both are only changed by this thread and its signal handlers. */
struct rs_thread {
  uint64_t pos;           /* start of the next record; RS_NO_RING set: no ring yet */
  uint64_t limit;         /* a record whose place ends beyond limit + RS_LIMIT_SLACK - 1 takes the
                             slow path; 0: every record does */
  uint64_t published;     /* last value stored to *producer_pos */
  uint64_t clock_due;     /* a record stamped later needs a clock record before it: slow path */
  uint64_t place;         /* address of position 0, if this lap had begun there */
  uint64_t* producer_pos; /* in the ring's producer line */
  uint64_t slow_tsc;      /* time stamp of the record that last took the slow path */
  uint64_t max_record_bytes;
  /* Times of records that read no clock, by the state of their statement: at RS_STATE_IN_BURST
   * that of the innermost ringside::Burst, 0 without one; at the others 0. */
  uint64_t times[RS_SWITCH_ON_CONSUMER_CLOCK + 1];
} __attribute__((aligned(64)));

/* Records up to this size are tested against `limit` by their start alone: their end, which
 * would cost an instruction, is covered by the slack. */
#define RS_LIMIT_SLACK 64

#define RS_NO_RING UINT64_C(0x8000000000000000)
/* The result of a failed reservation: RS_DROPPED + enum rs_loss_cause. Smaller values are places.
 */
#define RS_DROPPED (UINT64_MAX - 15)
#define RS_HEAD_ID_BITS 20

#ifdef __cplusplus
#define RS_THREAD_LOCAL __thread
#else
#define RS_THREAD_LOCAL _Thread_local
#endif

/* Initial-exec: a log call finds its state with one load from the GOT, without a call. */
RS_EXPORT extern RS_THREAD_LOCAL struct rs_thread rs_thread_state
    __attribute__((tls_model("initial-exec")));

/* The switch of every statement that is not registered in a segment: RS_SWITCH_UNREGISTERED, or
 * RS_SWITCH_OFF once the environment has disabled tracing. */
RS_EXPORT extern uint8_t rs_initial_switch;

/* Adds the statements [begin, end) at load time, so that they can be listed and switched before
 * they first run; those that were added before are not added again. */
RS_EXPORT void rs_sites_loaded(struct rs_site* const* begin, struct rs_site* const* end);
RS_EXPORT void rs_sites_unloaded(struct rs_site* const* begin, struct rs_site* const* end);

/* Enters a statement into the list of its program or shared object. An attribute cannot do this:
 * the compiler refuses a section with statements of inline functions and others. */
#if defined(__aarch64__)
#define RS_ADDRESS_ "S"
#else
#define RS_ADDRESS_ "i"
#endif
#define RS_LIST_SITE_(site_)                                                            \
  __asm__(".pushsection ringside_sites,\"aw\"\n\t.balign 8\n\t.quad %c0\n\t.popsection" \
          :                                                                             \
          : RS_ADDRESS_(&(site_)))

/* The list. Hidden: each shared object has its own. Null without statements. */
extern struct rs_site* const __start_ringside_sites[] __attribute__((weak, visibility("hidden")));
extern struct rs_site* const __stop_ringside_sites[] __attribute__((weak, visibility("hidden")));

/* Registers the statement if necessary, creating the segment, and checks its switch's deadline if
 * it has one. Returns the value of the switch, RS_SWITCH_OFF if it cannot be registered. */
RS_EXPORT uint8_t rs_site_enabled_slow(struct rs_site* site);

/* Replaces the reservation [start, start + bytes), made by adding to `pos`, that ended beyond
 * `limit` or was stamped after `clock_due`. Attaches a ring, writes clock and drop records, waits
 * for space, as required. Returns where to write the record, or RS_DROPPED + the cause, which
 * a ring has counted. Leaves `tsc` in slow_tsc, so that the caller need not keep it in a register.
 */
RS_EXPORT uint64_t rs_reserve_slow(uint64_t start, uint64_t bytes, uint64_t tsc);

/* Counts a record of `site` as lost, for the statement and, if there was no ring to count it, for
 * the segment. `dropped`: the result of the reservation. */
RS_EXPORT void rs_dropped(struct rs_site* site, uint64_t dropped) __attribute__((cold));

/* Counts executions that the statement suppressed by itself, by a condition or a rate, while it is
 * enabled. Registers the statement if necessary, creating the segment. Signal-safe. */
RS_EXPORT void rs_count_suppressed(struct rs_site* site, uint64_t executions) __attribute__((cold));

/* An argument in its C type, for calls that are not specialised at compile time. */
enum rs_arg_kind {
  RS_ARG_INTEGER = 1,
  RS_ARG_DOUBLE,
  RS_ARG_LONG_DOUBLE,
  RS_ARG_POINTER,
  RS_ARG_BYTES
};
struct rs_arg {
  enum rs_arg_kind kind;
  union {
    uint64_t integer; /* sign-extended if the type is signed */
    double number;
    const void* pointer;     /* also strings: the format decides */
    uint64_t long_number[2]; /* the bytes of a long double, or of a struct rs_bytes */
  } value;
};

/* One argument as it is stored: bytes as they are; a text or bytes (u32 length, then the bytes); or
 * an array (u32 count, then the elements). */
enum rs_piece_form {
  RS_PIECE_PLAIN = 0,
  RS_PIECE_TEXT,
  RS_PIECE_WIDE,
  RS_PIECE_BYTES,
  RS_PIECE_ARRAY
};
struct rs_piece {
  const void* data; /* RS_PIECE_WIDE: code points; RS_PIECE_ARRAY: struct rs_array */
  uint32_t bytes;   /* as stored, without a length word or count */
  uint32_t form;
};

/* An array that can be cut to fewer elements. */
struct rs_array {
  const void* elements;
  /* The size of the first elements that fit into `bytes`. */
  uint32_t (*fit)(const void* elements, uint32_t bytes);
  /* Writes the count and the first elements, which take `bytes`. */
  void (*store)(const void* elements, unsigned char* out, uint32_t bytes);
};

/* Records a statement that is switched on (`state`), cutting texts and arrays if the record would
 * be too large. The pieces are those of the fields of its signature. */
RS_EXPORT void rs_record_pieces(struct rs_site* site, uint8_t state, const struct rs_piece* pieces,
                                uint32_t count) __attribute__((cold));

/* The same for a statement of the C front end. */
RS_EXPORT void rs_record_args(struct rs_site* site, uint8_t state, const struct rs_arg* args,
                              uint32_t count);

/* The same for arguments that rs_record_args() must convert: promoted as those of printf, with the
 * types `given`. `is_needed` is 0 if the record is already counted as lost. */
RS_EXPORT void rs_record_values(struct rs_site* site, uint8_t state, uint64_t is_needed, ...)
    __attribute__((cold));

/* Writes the line "ringside: TEXT" to standard error, unless `*is_reported`, and sets it. Bounded
 * like all messages of the library: no wait, no signal. For what the headers in compat/ cannot do.
 */
RS_EXPORT void rs_report_once(uint8_t* is_reported, const char* text) __attribute__((cold));

/* Wide text as UTF-8: its size in bytes up to `limit` (-1: none), whole characters only, and
 * the bytes themselves. */
RS_EXPORT uint32_t rs_utf8_bytes(const int32_t* text, int64_t limit);
RS_EXPORT void rs_utf8_store(const int32_t* text, unsigned char* out, uint32_t bytes);

/* RS_SWITCH_ON or RS_SWITCH_ON_CONSUMER_CLOCK if the statement is to be recorded, else 0. */
RS_HOT uint8_t rs_site_enabled(struct rs_site* site) {
  /* Pairs with the release at registration: a thread that finds the switch there finds the id. */
  const uint8_t* const byte = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE);
  const uint8_t state = __atomic_load_n(byte, __ATOMIC_RELAXED);
  if (state == RS_SWITCH_OFF) return RS_SWITCH_OFF;
  /* One comparison for all rare values: each statement has this code. */
  if (__builtin_expect(state > RS_SWITCH_ON_CONSUMER_CLOCK, 0)) return rs_site_enabled_slow(site);
  return state;
}

/* The clock that stamps records. Without a barrier on either processor (lfence, isb): the reading
 * may move by some instructions within its thread, but a thread's readings keep their order. */
RS_HOT uint64_t rs_clock(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

/* Adds and returns the old value. One instruction on x86, so that a signal handler which logs on
 * this thread runs either before or after it, never in between. No other thread accesses the word,
 * so there is no lock prefix. */
RS_HOT uint64_t rs_fetch_add_local(uint64_t* word, uint64_t value) {
#if defined(__x86_64__)
  __asm__ volatile("xaddq %0, %1" : "+r"(value), "+m"(*word) : : "memory", "cc");
  return value;
#else
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/* Reserves `bytes` for a record at `*start` and reads its time stamp (only if `state` is
 * RS_SWITCH_ON). Returns 0 if rs_reserve_slow() must replace the reservation. The clock is read
 * after the reservation: a handler in between gets the later place and the earlier time; the reader
 * restores the order. */
RS_HOT int rs_reserve_fast(uint8_t state, uint64_t bytes, uint64_t* start, uint64_t* tsc) {
  struct rs_thread* t = &rs_thread_state;
  *start = rs_fetch_add_local(&t->pos, bytes);
#if !defined(__clang__)
  /* Where texts take the registers, g++ would widen `state` on the path that reads the clock. */
  if (!__builtin_constant_p(bytes) && state != RS_SWITCH_ON) __asm__ volatile("" : "+r"(state));
#endif
  *tsc = __builtin_expect(state == RS_SWITCH_ON, 1) ? rs_clock() : t->times[state];
  /* Underflows in a ring's first bytes: the slow path then tests exactly. */
  const uint64_t tested = __builtin_constant_p(bytes <= RS_LIMIT_SLACK) && bytes <= RS_LIMIT_SLACK
                              ? *start
                              : *start + (bytes - RS_LIMIT_SLACK);
  return __builtin_expect((tested >= t->limit) | (*tsc > t->clock_due), 0) == 0;
}

/* The same, and returns where the record starts, or a value for rs_dropped(). */
RS_HOT uint64_t rs_reserve(uint8_t state, uint64_t bytes, uint64_t* tsc) {
  uint64_t start;
  if (__builtin_expect(!rs_reserve_fast(state, bytes, &start, tsc), 0)) {
    start = rs_reserve_slow(start, bytes, *tsc);
    *tsc = rs_thread_state.slow_tsc;
  } else if (start >= RS_DROPPED) {
    /* No position is that large: this removes the caller's test. */
    __builtin_unreachable();
  }
  return start;
}

/* Prefetches the memory of later records. A page that was not written during a lap is no longer in
 * the translation buffer, and a page walk takes hundreds of nanoseconds in a virtual machine: once
 * in 512 short records, which is the 99.9th percentile (perf/README.md). It also brings the lines
 * back from the consumer's cache. */
#define RS_PREFETCH_BYTES 1024
RS_HOT void rs_prefetch_ahead(uint64_t address) {
  /* Never faults, not even after the ring's last copy. */
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %c1(%0)" : : "r"(address), "i"(RS_PREFETCH_BYTES));
#else
  __asm__ volatile("prfm pstl1keep, [%0, %1]" : : "r"(address), "i"(RS_PREFETCH_BYTES));
#endif
}

/* Address of the bytes reserved at `start`. */
RS_HOT unsigned char* rs_place(uint64_t start) {
  /* Neither a cast, which C and C++ spell differently, nor pointer arithmetic, which must not
   * leave its object. */
  const uint64_t address = rs_thread_state.place + start;
  unsigned char* place;
  rs_prefetch_ahead(address);
  __builtin_memcpy(&place, &address, sizeof place);
  return place;
}

/* Signal handlers recorded after the bytes that were just published: publishes all their records,
 * so that none of them waits for the next log call. */
RS_EXPORT void rs_publish_rest(void);

/* The record [start, start + bytes) is complete, and was begun within another one: by a signal
 * handler, or after a log call that was abandoned. */
RS_EXPORT void rs_publish_nested(uint64_t start, uint64_t bytes) __attribute__((cold));

/* Publishes the record [start, start + bytes). Only the outermost record may do this: the bytes
 * before a handler's record, which belong to the interrupted one, are not written yet. */
RS_HOT void rs_publish(uint64_t start, uint64_t bytes) {
  struct rs_thread* t = &rs_thread_state;
  /* `published` and `pos` are read by plain loads, which fold into the comparison. Only this
   * thread and its handlers write them, and handlers run between instructions. */
  if (__builtin_expect(t->published != start, 0)) {
    rs_publish_nested(start, bytes);
    return;
  }
  /* Pairs with the acquire of producer_pos in the consumer. */
  __atomic_store_n(t->producer_pos, start + bytes, __ATOMIC_RELEASE);
  /* After the store above, so that a handler in between still counts as nested and cannot
   * publish a larger position that this thread would then undo. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&t->published, start + bytes, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(t->pos != start + bytes, 0)) rs_publish_rest();
}

#ifdef __cplusplus
}
#endif

#endif
