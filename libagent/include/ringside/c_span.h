/* A span of C between its beginning and its end: a variable with copies of its values. */
#ifndef RINGSIDE_C_SPAN_H
#define RINGSIDE_C_SPAN_H

#include "c_argument.h"
#include "open_span_record.h"
#include "span_record.h"

struct rs_open_span_ {
  struct rs_site* site;
  uint64_t begin_tsc;
  uint32_t bytes; /* of the values */
  uint32_t flags;
  uint8_t state; /* 0: is not recorded, or has ended */
};

/* Of a span with two records. */
struct rs_two_record_span_ {
  struct rs_open_span_ open;
  struct rs_activity activity;
};

#define RS_SPAN_HEAD_OF_open(variable_) (&(variable_).open)
#define RS_SPAN_HEAD_OF_two_records(variable_) (&(variable_).two_records.open)

/* Bytes of a value of this type, at most. A constant: it is the size of an array. */
#define RS_SPAN_ROOM_OF_(given_)                                                             \
  ((given_) == RS_GIVEN_STRING ? 4 + RS_SPAN_TEXT_BYTES                                      \
   : (given_) == RS_GIVEN_I128 || (given_) == RS_GIVEN_U128 || (given_) == RS_GIVEN_F80 ? 16 \
                                                                                        : 8)
#define RS_SPAN_ROOM_(n, x) +RS_SPAN_ROOM_OF_(RS_GIVEN_(x))

/* Stores a value of an event's field; returns where the next one goes. Texts are measured and
 * copied once: they may change meanwhile. */
__attribute__((noinline, unused)) static unsigned char* rs_store_in_span_(unsigned char* p,
                                                                          const void* value,
                                                                          uint64_t bytes, int given,
                                                                          uint32_t* flags) {
  if (given == RS_GIVEN_CONSTANT) return p;
  if (given == RS_GIVEN_STRING) {
    const char* const text = rs_text_of_(value);
    const char* const end = (const char*)__builtin_memchr(text, 0, RS_SPAN_TEXT_BYTES + 1);
    const uint32_t length = end != 0 ? (uint32_t)(end - text) : rs_whole_characters_(text);
    if (__builtin_expect(end == 0, 0)) *flags |= RS_EXTENDED_CUT;
    __builtin_memcpy(p, &length, sizeof length);
    __builtin_memcpy(p + sizeof length, text, length);
    return p + sizeof length + length;
  }
  if (given == RS_GIVEN_F80) {
    rs_store_x87(p, value);
    return p + RS_X87_BYTES;
  }
  if (rs_short_bytes_(given) != 0) {
    bytes = rs_short_bytes_(given); /* the low bytes */
  }
  __builtin_memcpy(p, value, bytes);
  return p + bytes;
}

#define RS_GIVE_TO_SPAN_(n, x)                                                               \
  RS_GIVE_TO_EVENT_(n, x)                                                                    \
  _Static_assert(rs_given_##n##_ <= RS_GIVEN_STRING || rs_given_##n##_ == RS_GIVEN_CONSTANT, \
                 "a span has numbers and texts; record bytes and wide texts by an event");
#define RS_SPAN_STEP_(n)                                                                          \
  rs_place_ = rs_store_in_span_(rs_place_, &rs_value_##n##_, RS_VALUE_BYTES_(n), rs_given_##n##_, \
                                &rs_open_->flags);
#define RS_SPAN_VALUE_(n, x) \
  __extension__ const __typeof__(RS_PROMOTED_TYPE_(x)) rs_value_##n##_ = (x);

/* `open_`: the member with the span, and `begin_`: what begins it, of these two. */
#define RS_NOTHING_(variable_)
#define RS_BEGINS_SPAN_(variable_) rs_open_->begin_tsc = rs_clock();
#define RS_BEGINS_OPEN_SPAN_(variable_)                                                   \
  rs_open_->begin_tsc =                                                                   \
      rs_record_span_begin_(rs_open_->site, rs_state_, variable_.values, rs_open_->bytes, \
                            rs_open_->flags, &variable_.two_records.activity);
#define RS_COUNTED_SPAN_(count_, type_, open_, before_, after_, level_, variable_, arguments_,     \
                         ...)                                                                      \
  struct {                                                                                         \
    struct type_ open_;                                                                            \
    unsigned char values[1 RS_EACH_OF_(RS_SPAN_ROOM_, count_, __VA_ARGS__)];                       \
  } variable_;                                                                                     \
  RS_SPAN_HEAD_OF_##open_(variable_)->state = 0;                                                   \
  do {                                                                                             \
    _Static_assert(sizeof("" RS_FIRST_(__VA_ARGS__, 0)) > 1, "a span requires a name");            \
    _Static_assert(sizeof variable_.values - 1 <= RS_SPAN_MOST_VALUE_BYTES,                        \
                   "the values of a span take too many bytes");                                    \
    RS_EACH_OF_(RS_GIVE_TO_SPAN_, count_, __VA_ARGS__)                                             \
    static const char* const rs_constants_[] = {RS_EACH_OF_(RS_CONSTANT_, count_, __VA_ARGS__) 0}; \
    RS_DECLARE_DETAIL_WITH_(rs_constants_);                                                        \
    RS_SITE_OF_(RS_STYLE_NONE, "" RS_FIRST_(__VA_ARGS__, 0), &rs_detail_, level_, RS_SITE_SPAN,    \
                arguments_, count_)                                                                \
    if (RS_IS_COMPILED_(level_)) {                                                                 \
      RS_LIST_SITE_(rs_site_);                                                                     \
      const uint8_t rs_state_ = rs_site_enabled(&rs_site_);                                        \
      if (rs_state_) {                                                                             \
        struct rs_open_span_* const rs_open_ = RS_SPAN_HEAD_OF_##open_(variable_);                 \
        unsigned char* rs_place_ = variable_.values;                                               \
        RS_EACH_OF_(RS_SPAN_VALUE_, count_, __VA_ARGS__)                                           \
        rs_open_->site = &rs_site_;                                                                \
        before_(variable_) rs_open_->flags = RS_EXTENDED_SPAN;                                     \
        RS_NUMBERS_(RS_SPAN_STEP_, count_)                                                         \
        rs_open_->bytes = (uint32_t)(rs_place_ - variable_.values);                                \
        after_(variable_) rs_open_->state = rs_state_;                                             \
      }                                                                                            \
    }                                                                                              \
  } while (0)

static inline void rs_end_span_(struct rs_open_span_* open, unsigned char* values) {
  if (open->state == 0) return;
  rs_record_span_(open->site, open->state, open->begin_tsc, values, open->bytes, open->flags);
  open->state = 0;
}

static inline void rs_end_open_span_(struct rs_two_record_span_* span,
                                     const unsigned char* values) {
  struct rs_open_span_* const open = &span->open;
  if (open->state == 0) return;
  rs_record_span_end_(&span->activity, open->site, open->state, open->begin_tsc, values,
                      open->bytes, open->flags);
  open->state = 0;
}

#endif
