/** @file
 * Tasks for foreign-function interfaces; C++ has <ringside/task.hpp>.
 */
#ifndef RINGSIDE_TASK_ABI_H
#define RINGSIDE_TASK_ABI_H

#include "context_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A request, a coroutine or a fiber, which may move between threads. */
struct rs_task;

/** The entry of a thread into a task. Belongs to the thread that entered. */
struct rs_task_entry {
  void* entered; /**< null: there is nothing to leave */
};

/** Creates a task, in the context of the calling thread: its fields are those of the task.
 *
 * @param name  need not be terminated; cut to 128 bytes
 * @param name_bytes  its length
 * @return to be given to rs_task_release(); without memory, a task whose number is 0 and whose
 * records have no context
 * @par Thread safety
 * Any thread; not in a signal handler.
 */
RS_EXPORT struct rs_task* rs_task_create(const char* name, uint64_t name_bytes);

/** The task that the calling thread entered last and has not left.
 *
 * @return null if there is none; else to be given to rs_task_release()
 * @par Thread safety
 * As rs_task_create().
 */
RS_EXPORT struct rs_task* rs_task_current(void);

/** One more owner of a task.
 *
 * @param task  may be null
 * @return `task`
 * @par Thread safety
 * Any thread.
 */
RS_EXPORT struct rs_task* rs_task_share(struct rs_task* task);

/** The task has one owner less. It ends with its last owner, and when no thread is in it.
 *
 * @param task  may be null
 * @par Thread safety
 * Any thread; not in a signal handler.
 */
RS_EXPORT void rs_task_release(struct rs_task* task);

/** The task's number in the process: `substream` in tools.
 *
 * @param task  may be null
 * @return 0 for null and for a task without memory; else from 1
 * @par Thread safety
 * Any thread.
 */
RS_EXPORT uint64_t rs_task_id(const struct rs_task* task);

/** From here on, the records of the calling thread are the task's, and not those of the task or the
 * contexts that it was in. Several threads may be in one task at a time.
 *
 * @param task  null: nothing changes
 * @param entry  set for rs_task_leave(), also after a refusal
 * @return 1; or an enum rs_refusal: then the records are those of no task, until rs_task_leave()
 * @par Thread safety
 * Any thread; not in a signal handler. Costs no record and no system call by itself: the next
 * record states the task.
 */
RS_EXPORT int32_t rs_task_enter(struct rs_task* task, struct rs_task_entry* entry);

/** Ends the entry, and contexts that were entered since and have not ended.
 *
 * @param entry  of rs_task_enter() in the same thread; in another one this has no effect
 * @par Thread safety
 * As rs_task_enter().
 */
RS_EXPORT void rs_task_leave(struct rs_task_entry* entry);

#ifdef __cplusplus
}
#endif

#endif
