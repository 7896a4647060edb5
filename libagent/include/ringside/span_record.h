/* The record that a span becomes, and the bounds of its values. C11, and C++17 and later. */
#ifndef RINGSIDE_SPAN_RECORD_H
#define RINGSIDE_SPAN_RECORD_H

#include "span_abi.h"

/* One function for all spans of a shared object, of C++, or of a file, of C. */
#ifdef __cplusplus
#define RS_SPAN_FUNCTION_ __attribute__((noinline, visibility("hidden"))) inline
#else
#define RS_SPAN_FUNCTION_ __attribute__((noinline, unused)) static
#endif

/* Stores `flags` of `activity`: its ids. Returns where the next part goes. */
static inline unsigned char* rs_store_activity_(unsigned char* p,
                                                const struct rs_activity* activity) {
  const uint64_t id_bytes = sizeof activity->id;
  __builtin_memcpy(p, activity->id, id_bytes);
  p += id_bytes;
  if ((activity->flags & RS_EXTENDED_RELATED) != 0) {
    __builtin_memcpy(p, activity->related, id_bytes);
    p += id_bytes;
  }
  return p;
}

/* Stores the head at `p`. Returns where the activities and the duration go. Not from an array of
 * words: a load of two words that were just stored waits until the cache has both. */
RS_HOT unsigned char* rs_store_span_head_(unsigned char* p, const struct rs_site* site,
                                          uint32_t flags, uint64_t bytes, uint64_t tsc) {
  const uint64_t head = tsc << RS_HEAD_ID_BITS | RS_CODE_EXTENDED;
  const uint64_t site_and_flags = (site->id & UINT32_MAX) | (UINT64_C(1) << 32) * flags;
  const uint32_t record_bytes = bytes & UINT32_MAX;
  __builtin_memcpy(p, &head, sizeof head);
  p += sizeof head;
  __builtin_memcpy(p, &site_and_flags, sizeof site_and_flags);
  p += sizeof site_and_flags;
  __builtin_memcpy(p, &record_bytes, sizeof record_bytes);
  return p + sizeof record_bytes;
}

/* Stores the duration of a span that ends now. Without a time of its own, the record's end is when
 * the consumer reads it. Returns where the values go. */
RS_HOT unsigned char* rs_store_duration_(unsigned char* p, uint64_t begin_tsc, uint64_t tsc) {
  const uint64_t duration = (tsc != 0 ? tsc : rs_clock()) - begin_tsc;
  __builtin_memcpy(p, &duration, sizeof duration);
  return p + sizeof duration;
}

/* Records a span of this activity that ends now. An extended record (shm-layout/record_head.hpp):
 *
 *   | head 8 | site u32 | flags u32 | bytes u32 | activities 16 each | duration u64 | values |
 *
 * `values`: as in the ring. */
__attribute__((always_inline)) static inline void rs_record_span_of_(
    const struct rs_activity* activity, struct rs_site* site, uint8_t state, uint64_t begin_tsc,
    const unsigned char* values, uint32_t value_bytes, uint32_t flags) {
  const uint32_t ids = activity->flags;
  const uint64_t id_bytes = sizeof activity->id;
  uint64_t bytes = RS_SPAN_HEAD_BYTES;
  bytes += value_bytes;
  if ((ids & RS_EXTENDED_ACTIVITY) != 0) bytes += id_bytes;
  if ((ids & RS_EXTENDED_RELATED) != 0) bytes += id_bytes;
  uint64_t tsc = 0;
  const uint64_t start = rs_reserve(state, bytes, &tsc);
  if (__builtin_expect(start >= RS_DROPPED, 0)) {
    rs_dropped(site, start);
    return;
  }
  unsigned char* p = rs_store_span_head_(rs_place(start), site, flags | ids, bytes, tsc);
  if (__builtin_expect(ids != 0, 0)) p = rs_store_activity_(p, activity);
  p = rs_store_duration_(p, begin_tsc, tsc);
  if (value_bytes != 0) __builtin_memcpy(p, values, value_bytes);
  rs_publish(start, bytes);
}

RS_SPAN_FUNCTION_ void rs_record_span_(struct rs_site* site, uint8_t state, uint64_t begin_tsc,
                                       const unsigned char* values, uint32_t value_bytes,
                                       uint32_t flags) {
  rs_record_span_of_(&rs_thread_activity, site, state, begin_tsc, values, value_bytes, flags);
}

/* Of a text in a span. A span is a variable: its copies of texts have a fixed place in it. */
#define RS_SPAN_TEXT_BYTES 64
/* Of all values. With its head and two activities, the record fits into the smallest ring
 * (record_head.hpp). */
#define RS_SPAN_MOST_VALUE_BYTES 960

/* Of a text that is longer than RS_SPAN_TEXT_BYTES: the bytes that are kept, without the beginning
 * of a character of UTF-8 whose rest does not fit. */
static inline uint32_t rs_whole_characters_(const char* text) {
  uint32_t bytes = RS_SPAN_TEXT_BYTES;
  while (bytes > RS_SPAN_TEXT_BYTES - 4 && (text[bytes] & 0xC0) == 0x80) --bytes;
  return bytes;
}

#endif
