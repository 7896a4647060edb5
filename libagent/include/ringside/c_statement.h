/* A log statement of C: its static description, the list of statements, and the call. */
#ifndef RINGSIDE_C_STATEMENT_H
#define RINGSIDE_C_STATEMENT_H

#include "abi.h"
#include "c_argument.h"
#include "c_probe.h"
#include "category.h"
#include "each_argument.h"
#include "gate.h"
#include "min_level.h"

/* Where a record is written: its place after the head, or null. */
struct rs_begun_ {
  unsigned char* place;
  uint64_t start; /* without a place: not 0 if rs_record_values() must record it */
};

RS_HOT struct rs_begun_ rs_begun_at_(const struct rs_site* site, uint64_t start, uint64_t tsc) {
  struct rs_begun_ begun;
  const uint64_t head = tsc << RS_HEAD_ID_BITS | site->id;
  begun.place = rs_place(start);
  begun.start = start;
  __builtin_memcpy(begun.place, &head, sizeof head);
  begun.place += sizeof head;
  return begun;
}

/* Goes on with the reservation at `start`. */
__attribute__((noinline, cold, unused)) static struct rs_begun_ rs_begin_slowly_(
    struct rs_site* site, uint64_t start, uint64_t bytes, uint64_t tsc) {
  const struct rs_begun_ none = {0, 0};
  start = rs_reserve_slow(start, bytes, tsc);
  if (start < RS_DROPPED) return rs_begun_at_(site, start, rs_thread_state.slow_tsc);
  rs_dropped(site, start);
  return none;
}

/* Begins a record of `bytes`. Out of line, so that a statement's own code is small: that costs no
 * more than the inlined code (perf/README.md), and takes less of the compiler's time. The rare case
 * is a call in tail position: so the common one saves no registers. */
__attribute__((noinline, unused)) static struct rs_begun_ rs_begin_(struct rs_site* site,
                                                                    uint8_t state, uint64_t bytes) {
  uint64_t start;
  uint64_t tsc;
  /* Recorded by its format, too large, or the first of a thread. */
  if (__builtin_expect(
          (site->flags & RS_SITE_BY_FORMAT) != 0 || bytes > rs_thread_state.max_record_bytes, 0)) {
    const struct rs_begun_ by_format = {0, 1};
    return by_format;
  }
  if (__builtin_expect(!rs_reserve_fast(state, bytes, &start, &tsc), 0)) {
    return rs_begin_slowly_(site, start, bytes, tsc);
  }
  return rs_begun_at_(site, start, tsc);
}

__attribute__((noinline, unused)) static void rs_end_(uint64_t start, uint64_t bytes) {
  rs_publish(start, bytes);
}

__attribute__((noinline, cold, unused)) static void rs_record_bare_slowly_(struct rs_site* site,
                                                                           uint64_t start,
                                                                           uint64_t tsc) {
  const struct rs_begun_ begun = rs_begin_slowly_(site, start, sizeof(uint64_t), tsc);
  if (begun.place != 0) rs_publish(begun.start, sizeof(uint64_t));
}

/* Records a statement without arguments. */
__attribute__((noinline, unused)) static void rs_record_bare_(struct rs_site* site, uint8_t state) {
  uint64_t start;
  uint64_t tsc;
  if (__builtin_expect(!rs_reserve_fast(state, sizeof(uint64_t), &start, &tsc), 0)) {
    rs_record_bare_slowly_(site, start, tsc);
    return;
  }
  rs_begun_at_(site, start, tsc);
  rs_publish(start, sizeof(uint64_t));
}

/* Never called: lets the compiler check the format. */
__attribute__((format(printf, 1, 2))) static inline void rs_check_format_(const char* format, ...) {
  (void)format;
}

#define RS_STATEMENT_OF_(level_, flags_, arguments_, ...) \
  RS_COUNTED_STATEMENT_(RS_ARGUMENT_COUNT_(__VA_ARGS__), level_, flags_, arguments_, __VA_ARGS__)
#define RS_COUNTED_STATEMENT_(count_, level_, flags_, arguments_, ...)                     \
  do {                                                                                     \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wformat\"")            \
        _Pragma("GCC diagnostic error \"-Wformat-extra-args\"")                            \
            _Pragma("GCC diagnostic ignored \"-Wformat-zero-length\"") if (0)              \
                rs_check_format_(__VA_ARGS__);                                             \
    _Pragma("GCC diagnostic pop") RS_DECLARE_DETAIL_;                                      \
    RS_EACH_OF_(RS_GIVE_, count_, __VA_ARGS__)                                             \
    RS_SITE_OF_(RS_STYLE_PRINTF, "" RS_FIRST_(__VA_ARGS__, 0), RS_DETAIL_, level_, flags_, \
                arguments_, count_)                                                        \
    if (RS_IS_COMPILED_(level_)) {                                                         \
      RS_LIST_SITE_(rs_site_);                                                             \
      RS_RECORD_(RS_VALUE_, count_, __VA_ARGS__)                                           \
    }                                                                                      \
  } while (0)

/* The description of a statement, whose rs_given_N_ exist. `rs_fields_` has one element more than
 * there are arguments: C has no empty arrays. */
#define RS_SITE_OF_(style_, format_, detail_, level_, flags_, arguments_, count_)                \
  static struct rs_field rs_fields_[] = {RS_NUMBERS_(RS_FIELD_, count_){0, 0, 0, 0, -1, -1}};    \
  static struct rs_site rs_site_ = {.state = &rs_initial_switch,                                 \
                                    .format = format_,                                           \
                                    .file = __FILE__,                                            \
                                    .function = __func__,                                        \
                                    .arguments = arguments_,                                     \
                                    .fields = rs_fields_,                                        \
                                    .field_count = sizeof rs_fields_ / sizeof rs_fields_[0] - 1, \
                                    .level = (level_),                                           \
                                    .style = style_,                                             \
                                    .flags = (flags_),                                           \
                                    .line = __LINE__,                                            \
                                    .detail = detail_};

#define RS_GIVE_(n, x) enum { rs_given_##n##_ = RS_GIVEN_(x) };
#define RS_FIELD_(n) {0, rs_given_##n##_, 0, 0, -1, -1},

/* Evaluates the arguments, each by VALUE(number, argument), and records them, if the statement is
 * enabled. */
#define RS_RECORD_(VALUE, count_, ...)                            \
  const uint8_t rs_state_ = rs_site_passes_(&rs_site_, rs_gate_); \
  if (rs_state_) {                                                \
    RS_EACH_OF_(VALUE, count_, __VA_ARGS__)                       \
    RS_PROBE_STATEMENT_(count_)                                   \
    RS_STORE_(count_)                                             \
  }

#define RS_VALUE_(n, x)          \
  uint32_t rs_length_##n##_ = 0; \
  __extension__ const __auto_type rs_value_##n##_ = RS_PROMOTED_(x);

/* Of the argument with n - 1 others after it. */
#define RS_FIELD_OF_(n) (&rs_fields_[sizeof rs_fields_ / sizeof rs_fields_[0] - 1 - n])
#define RS_VALUE_BYTES_(n) sizeof rs_value_##n##_ /* NOLINT(bugprone-sizeof-expression) */
#define RS_ADD_(n)                                       \
  +__builtin_choose_expr(                                \
      RS_IS_PLAIN_(rs_given_##n##_), RS_VALUE_BYTES_(n), \
      rs_stored_bytes_(&rs_value_##n##_, rs_given_##n##_, RS_FIELD_OF_(n), &rs_length_##n##_))
#define RS_STEP_(n)                                                                          \
  __builtin_choose_expr(                                                                     \
      RS_IS_PLAIN_(rs_given_##n##_),                                                         \
      (void)(__builtin_memcpy(rs_begun_.place, &rs_value_##n##_, RS_VALUE_BYTES_(n)),        \
             rs_begun_.place += RS_VALUE_BYTES_(n)),                                         \
      (void)(rs_begun_.place = rs_store_(rs_begun_.place, &rs_value_##n##_, rs_given_##n##_, \
                                         RS_FIELD_OF_(n), rs_length_##n##_)));
#define RS_PASS_(n) , rs_value_##n##_

#define RS_STORE_ALL_(adds_, steps_, passes_)                              \
  const uint64_t rs_bytes_ = sizeof(uint64_t) adds_;                       \
  struct rs_begun_ rs_begun_ = rs_begin_(&rs_site_, rs_state_, rs_bytes_); \
  if (__builtin_expect(rs_begun_.place != 0, 1)) {                         \
    steps_ rs_end_(rs_begun_.start, rs_bytes_);                            \
  } else {                                                                 \
    rs_record_values(&rs_site_, rs_state_, rs_begun_.start passes_);       \
  }

#define RS_STORE_(count) RS_STORE_IN_(count, RS_LOW_ count)
#define RS_STORE_IN_(count, low) RS_STORE_NOW_(count, low)
#define RS_STORE_NOW_(count, low) RS_STORE_##low(count)
#define RS_STORE_X(count)
#define RS_STORE_Z(count) rs_record_bare_(&rs_site_, rs_state_);
#define RS_STORE_0(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_1(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_2(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_3(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_4(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_5(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_6(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_7(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_8(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_9(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_A(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_B(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_C(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_D(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_E(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_F(count) RS_STORE_ARGUMENTS_(count)
#define RS_STORE_ARGUMENTS_(count)                                         \
  RS_STORE_ALL_(RS_NUMBERS_(RS_ADD_, count), RS_NUMBERS_(RS_STEP_, count), \
                RS_NUMBERS_(RS_PASS_, count))

/* Statements of this program or shared object, known from load time. Every file that includes this
 * header calls it; the library adds each statement once. */
__attribute__((constructor)) static void rs_load_sites_(void) {
  rs_sites_loaded(__start_ringside_sites, __stop_ringside_sites);
}
__attribute__((destructor)) static void rs_unload_sites_(void) {
  rs_sites_unloaded(__start_ringside_sites, __stop_ringside_sites);
}

#endif
