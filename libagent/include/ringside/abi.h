/* What the inlined record path of an application and the library share. C11 and C++20.
 *
 * Not for direct use: <ringside/ringside.hpp> and <ringside/ringside.h> are the interfaces.
 * Everything here is bound to the library's soname; the layout of shared memory is not here but
 * in shm-layout/.
 */
#ifndef RINGSIDE_ABI_H
#define RINGSIDE_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RS_EXPORT __attribute__((visibility("default")))

enum rs_level {
  RS_LEVEL_TRACE = 1,
  RS_LEVEL_DEBUG = 2,
  RS_LEVEL_INFO = 3,
  RS_LEVEL_NOTICE = 4,
  RS_LEVEL_WARNING = 5,
  RS_LEVEL_ERROR = 6,
  RS_LEVEL_CRITICAL = 7,
  RS_LEVEL_OFF = 8 /* as a threshold: nothing is recorded */
};

/* One recorded argument of a statement, in the order of the C arguments. */
struct rs_field {
  uint8_t type;              /* shm-layout/field_type.hpp */
  uint8_t is_format_arg;     /* a `*` width or precision */
  uint8_t is_wide;           /* the argument is wchar_t* or wint_t */
  int8_t precision_field;    /* index of the field that limits this string, or -1 */
  int32_t precision_literal; /* bytes that limit this string, or -1 */
};

/* One statement. Static storage; `id` is 0 until the statement is registered in the segment. */
struct rs_site {
  uint32_t id; /* atomic: release at registration, acquire by log calls */
  uint32_t line;
  const char* format;
  const char* file;
  const char* function;
  const char* arguments; /* source text of the arguments: names the fields */
  struct rs_field* fields;
  uint8_t field_count;
  uint8_t level;
  uint8_t fields_from_format; /* C: `fields` has room for 32 and is filled at registration */
  uint8_t reserved;
  struct rs_site* next; /* every statement of the process, whether executed or not */
  struct rs_site* previous;
};

/* The calling thread's end of its ring: one cache line, written by log calls only.
 * Positions are those of shm-layout/ring_metadata.hpp. `pos` runs ahead of `published` while a
 * record is being written; both are only changed by this thread and its signal handlers. */
struct rs_thread {
  uint64_t pos;           /* where the next record goes; RS_NO_RING set: no ring yet */
  uint64_t limit;         /* a record must end at or before it, else the slow path */
  uint64_t published;     /* last value stored to *producer_pos */
  uint64_t clock_due;     /* a record stamped later is preceded by a clock record: slow path */
  unsigned char* base;    /* ring_bytes mapped twice, back to back */
  uint64_t mask;          /* ring_bytes - 1 */
  uint64_t* producer_pos; /* in the ring's producer line */
  uint64_t max_record_bytes;
} __attribute__((aligned(64)));

#define RS_NO_RING UINT64_C(0x8000000000000000)
#define RS_DROPPED UINT64_MAX
#define RS_HEAD_ID_BITS 20
#define RS_MAX_FIELDS 32

#ifdef __cplusplus
#define RS_THREAD_LOCAL __thread
#else
#define RS_THREAD_LOCAL _Thread_local
#endif

/* Initial-exec: a log call finds its state with one load from the GOT, without a call. */
RS_EXPORT extern RS_THREAD_LOCAL struct rs_thread rs_thread_state
    __attribute__((tls_model("initial-exec")));

/* One byte per site id (shm-layout/site_switch.hpp). Before there is a segment it has one
 * element, for id 0, which sends every statement to rs_site_enabled_slow. */
RS_EXPORT extern const uint8_t* rs_switches;

/* Adds a statement at load time, so that it can be listed and switched before it first runs. */
RS_EXPORT void rs_site_loaded(struct rs_site* site);
RS_EXPORT void rs_site_unloaded(struct rs_site* site);

/* Registers the statement, creating the segment if need be. Returns its id, 0 if it is off. */
RS_EXPORT uint32_t rs_site_enabled_slow(struct rs_site* site);

/* Replaces the reservation [start, start + bytes), made by adding to `pos`, that ended beyond
 * `limit` or was stamped after `clock_due`. Attaches a ring, writes clock and drop records, waits
 * for space: whatever is due. Returns where to write the record, or RS_DROPPED (counted). */
RS_EXPORT uint64_t rs_reserve_slow(uint64_t start, uint64_t bytes, uint64_t tsc);

/* An argument in its C type, for calls that are not specialised at compile time. */
enum rs_arg_kind { RS_ARG_INTEGER = 1, RS_ARG_DOUBLE, RS_ARG_LONG_DOUBLE, RS_ARG_POINTER };
struct rs_arg {
  enum rs_arg_kind kind;
  union {
    uint64_t integer; /* sign-extended if the type is signed */
    double number;
    const void* pointer;     /* also strings: the format decides */
    uint64_t long_number[2]; /* the bytes of a long double */
  } value;
};

/* Records any statement, cutting strings if the record would be too large. */
RS_EXPORT void rs_record_args(struct rs_site* site, const struct rs_arg* args, uint32_t count);

/* Wide text as UTF-8: its size in bytes up to `limit` (-1: none), whole characters only, and
 * the bytes themselves. */
RS_EXPORT uint32_t rs_utf8_bytes(const int32_t* text, int64_t limit);
RS_EXPORT void rs_utf8_store(const int32_t* text, unsigned char* out, uint32_t bytes);

/* The id of the statement if it is to be recorded, else 0. */
static inline uint32_t rs_site_enabled(struct rs_site* site) {
  /* The id first: with the acquire, rs_switches is then at least the array that it belongs to. */
  const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
  const uint8_t* const switches = __atomic_load_n(&rs_switches, __ATOMIC_RELAXED);
  const uint8_t state = __atomic_load_n(&switches[id], __ATOMIC_RELAXED);
  if (__builtin_expect(state == 1, 1)) {
    if (id == 0) __builtin_unreachable(); /* its switch always reads "unregistered" */
    return id;
  }
  return state == 0 ? 0 : rs_site_enabled_slow(site);
}

/* The clock that stamps records. */
static inline uint64_t rs_clock(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "Ringside supports x86-64 and AArch64"
#endif
}

/* Adds and returns the value before. One instruction on x86, so that a signal handler which logs
 * on this thread comes either before or after it, never in between; no other thread takes part,
 * hence no lock prefix. */
static inline uint64_t rs_fetch_add_local(uint64_t* word, uint64_t value) {
#if defined(__x86_64__)
  __asm__ volatile("xaddq %0, %1" : "+r"(value), "+m"(*word) : : "memory", "cc");
  return value;
#else
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/* Reserves `bytes` for a record, reads its time stamp and returns where it starts, or RS_DROPPED.
 * The clock is read after the reservation: a handler in between gets the later place and the
 * earlier time, which the reader puts in order. */
static inline uint64_t rs_reserve(uint64_t bytes, uint64_t* tsc) {
  struct rs_thread* t = &rs_thread_state;
  const uint64_t start = rs_fetch_add_local(&t->pos, bytes);
  *tsc = rs_clock();
  if (__builtin_expect((start + bytes > t->limit) | (*tsc > t->clock_due), 0)) {
    return rs_reserve_slow(start, bytes, *tsc);
  }
  if (start == RS_DROPPED) __builtin_unreachable(); /* spares the caller's check on this path */
  return start;
}

/* Where the bytes reserved at `start` lie. */
static inline unsigned char* rs_place(uint64_t start) {
  return rs_thread_state.base + (start & rs_thread_state.mask);
}

/* Signal handlers recorded behind the bytes that were just published: publishes on until they
 * are all out, so that none of them waits for the next log call. */
RS_EXPORT void rs_publish_rest(void);

/* Publishes the record [start, start + bytes). Only the outermost record may: the bytes before a
 * handler's record, which belong to the interrupted one, are not written yet. */
static inline void rs_publish(uint64_t start, uint64_t bytes) {
  struct rs_thread* t = &rs_thread_state;
  if (__builtin_expect(__atomic_load_n(&t->published, __ATOMIC_RELAXED) != start, 0)) return;
  /* Pairs with the acquire of producer_pos in the consumer. */
  __atomic_store_n(t->producer_pos, start + bytes, __ATOMIC_RELEASE);
  /* After the store above, so that a handler in between still counts as nested and cannot
   * publish a larger position which this thread would then take back. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&t->published, start + bytes, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(__atomic_load_n(&t->pos, __ATOMIC_RELAXED) != start + bytes, 0)) {
    rs_publish_rest();
  }
}

#ifdef __cplusplus
}
#endif

#endif
