/** @file
 * What the records of spans need beyond abi.h. Not for direct use: <ringside/span.hpp> is the
 * interface.
 */
#ifndef RINGSIDE_SPAN_ABI_H
#define RINGSIDE_SPAN_ABI_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An extended record (shm-layout/record_head.hpp) with a duration, stamped at its end. The head
 * without activities. */
#define RS_CODE_EXTENDED 0xFFFFD
#define RS_EXTENDED_SPAN 0x50
#define RS_EXTENDED_CUT 0x20
#define RS_EXTENDED_ACTIVITY 0x02
#define RS_EXTENDED_RELATED 0x04
#define RS_SPAN_HEAD_BYTES 28
/* Heads of the record of a beginning: of a plain record, and of an extended one. */
#define RS_SPAN_PLAIN_HEAD_BYTES 8
#define RS_SPAN_BEGIN_HEAD_BYTES 20

/* What the spans of the calling thread belong to: ringside::Activity. `flags`: of an extended
 * record, for the ids that are set. */
struct rs_activity {
  uint32_t flags;
  uint8_t id[16];
  uint8_t related[16];
};
RS_EXPORT extern RS_THREAD_LOCAL struct rs_activity rs_thread_activity
    __attribute__((tls_model("initial-exec")));

/* An id of an open span, by which its two records are found to belong together: unique in the
 * process, never 0. Any thread, and signal handlers. One system call in a thread's first call. */
RS_EXPORT uint64_t rs_new_span_id(void);
/* Whether an open span of this statement, which began on any thread, can end on this one: 1, or 0
 * and counted as lost. Only 0 within a record in a ring of a replaced segment, in which the
 * statement is unknown. Otherwise the thread leaves such a ring first. */
RS_EXPORT uint8_t rs_may_end_span(struct rs_site* site);
/* The field that holds it, and its source text. shm-layout/span_id_field.hpp has the name, too. */
#define RS_SPAN_ID_FIELD "ringside.span"
#define RS_SPAN_ID_TEXT_ ", RS_NAMED(\"" RS_SPAN_ID_FIELD "\", id)"

#ifdef __cplusplus
}
#endif

#endif
