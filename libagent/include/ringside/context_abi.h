/** @file
 * What contexts need beyond abi.h. For foreign-function interfaces; C++ has <ringside/context.hpp>.
 */
#ifndef RINGSIDE_CONTEXT_ABI_H
#define RINGSIDE_CONTEXT_ABI_H

#include "runtime_statement.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most fields that are in force at a time. */
#define RS_MAX_CONTEXT_FIELDS 16

/** One field of a context. */
struct rs_context_field {
  const char* name;    /**< need not be terminated */
  uint64_t name_bytes; /**< its length, 1 to 64; names of tasks (task_abi.h) are refused */
  struct rs_value value;
};

/** What was in force before rs_context_enter(), and in which task or outside of all. The library
 * alone reads it: the words also have parts of other numbers. */
struct rs_context_mark {
  uint32_t fields;
  uint32_t bytes;
};

/** The fields in force in a thread, to carry them to another one. */
struct rs_captured_context {
  uint32_t fields;
  uint32_t bytes;
  unsigned char content[1528];
};

/** From here on, the records of the calling thread have these fields, besides those that were in
 * force before.
 *
 * A field replaces one of the same name until rs_context_leave(). All fields together take at most
 * RS_MAX_CONTEXT_FIELDS and 480 bytes; texts are cut to 128 bytes, and to what is left of the 480.
 *
 * @param fields  the fields; names and texts are copied
 * @param count  of the fields
 * @param mark  set for rs_context_leave(), also after a refusal
 * @return 1; or an enum rs_refusal: then the context is unchanged
 * @par Thread safety
 * Belongs to the calling thread; not in a signal handler. Costs no record and no system call by
 * itself: the next record states the context.
 */
RS_EXPORT int32_t rs_context_enter(const struct rs_context_field* fields, uint32_t count,
                                   struct rs_context_mark* mark);

/** Ends the context that was entered last and has not ended.
 *
 * @param mark  of its rs_context_enter()
 * @par Thread safety
 * As rs_context_enter(), in the same thread.
 */
RS_EXPORT void rs_context_leave(const struct rs_context_mark* mark);

/** Copies the fields in force in the calling thread.
 *
 * @param captured  where to
 * @par Thread safety
 * As rs_context_enter().
 */
RS_EXPORT void rs_context_capture(struct rs_captured_context* captured);

/** The same as rs_context_enter(), with fields of another thread or another time.
 *
 * @param captured  of rs_context_capture()
 * @param mark  as for rs_context_enter()
 * @return as rs_context_enter()
 * @par Thread safety
 * As rs_context_enter().
 */
RS_EXPORT int32_t rs_context_enter_captured(const struct rs_captured_context* captured,
                                            struct rs_context_mark* mark);

#ifdef __cplusplus
}
#endif

#endif
