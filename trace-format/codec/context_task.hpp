#pragma once
// The task whose records a context's are.

#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::trace {

// Sets the task's members: to those of a context that begins with a task's fields
// (shm-layout/task_fields.hpp), otherwise to those of none.
void find_task(RecordContext& context);

// Records of a task have its number as their substream, unless they have one of their own.
inline void add_task(const RecordContext& context, RecordExtension& extension) {
  if (context.task == 0 || (extension.ext_flags & shm::kExtSubstream) != 0) return;
  extension.ext_flags |= shm::kExtSubstream;
  extension.substream = context.task;
}

}  // namespace ringside::trace
