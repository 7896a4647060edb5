/* The two records of an open span: at its beginning and at its end. C11, and C++17 and later. */
#ifndef RINGSIDE_OPEN_SPAN_RECORD_H
#define RINGSIDE_OPEN_SPAN_RECORD_H

#include "span_record.h"

/* Records that a span begins, and returns when. The record has the statement and the values of the
 * span, with its id, and no duration. Its time is exactly that from which the duration counts.
 * Without activity and cut texts it is a plain record. `activity`: receives that of the thread,
 * which both records have, whichever thread ends the span. */
RS_SPAN_FUNCTION_ uint64_t rs_record_span_begin_(struct rs_site* site, uint8_t state,
                                                 const unsigned char* values, uint32_t value_bytes,
                                                 uint32_t flags, struct rs_activity* activity) {
  const uint64_t id_bytes = sizeof activity->id;
  uint32_t head_bytes = RS_SPAN_PLAIN_HEAD_BYTES;
  *activity = rs_thread_activity;
  const uint32_t shown = (flags & RS_EXTENDED_CUT) | activity->flags;
  if (shown != 0) head_bytes = RS_SPAN_BEGIN_HEAD_BYTES;
  uint64_t bytes = head_bytes;
  bytes += value_bytes;
  if ((shown & RS_EXTENDED_ACTIVITY) != 0) bytes += id_bytes;
  if ((shown & RS_EXTENDED_RELATED) != 0) bytes += id_bytes;
  uint64_t tsc = 0;
  const uint64_t start = rs_reserve(state, bytes, &tsc);
  if (__builtin_expect(start >= RS_DROPPED, 0)) {
    rs_dropped(site, start);
    return rs_clock();
  }
  unsigned char* p = rs_place(start);
  const uint64_t code = shown != 0 ? RS_CODE_EXTENDED : site->id;
  const uint64_t head = tsc << RS_HEAD_ID_BITS | code;
  __builtin_memcpy(p, &head, sizeof head);
  if (__builtin_expect(shown != 0, 0)) {
    uint32_t words[3];
    words[0] = site->id & UINT32_MAX;
    words[1] = shown;
    words[2] = bytes & UINT32_MAX;
    __builtin_memcpy(p + sizeof head, words, sizeof words);
    p += head_bytes;
    if (activity->flags != 0) p = rs_store_activity_(p, activity);
  } else {
    p += sizeof head;
  }
  __builtin_memcpy(p, values, value_bytes);
  rs_publish(start, bytes);
  return tsc != 0 ? tsc : rs_clock();
}

/* Records that it ends: as rs_record_span_(), in the activity of its beginning. */
RS_SPAN_FUNCTION_ void rs_record_span_end_(const struct rs_activity* activity, struct rs_site* site,
                                           uint8_t state, uint64_t begin_tsc,
                                           const unsigned char* values, uint32_t value_bytes,
                                           uint32_t flags) {
  /* Its beginning may be in another segment than that of this thread's ring. The acquire pairs with
   * the release at registration. */
  const uint8_t* const present = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE);
  const uint8_t rare = __atomic_load_n(present, __ATOMIC_RELAXED) > RS_SWITCH_ON_CONSUMER_CLOCK;
  if (__builtin_expect(rare, 0) && rs_may_end_span(site) == 0) return;
  rs_record_span_of_(activity, site, state, begin_tsc, values, value_bytes, flags);
}

#endif
