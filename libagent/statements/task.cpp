// Tasks, and the threads that enter them.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "libagent/include/ringside/task_abi.h"
#include "libagent/recording/thread_context.hpp"
#include "libagent/statements/context_stack.hpp"
#include "shm-layout/task_fields.hpp"

// Immutable, except for its counts. What a thread needs of it is copied when the thread enters it:
// so threads in one task do not disturb each other, and a task may be released by then.
struct rs_task {
  std::atomic<std::uint32_t> owners{1};
  std::atomic<std::uint64_t> steps{0};  // how often it was entered
  std::uint64_t id = 0;
  rs_site* site = nullptr;
  std::uint32_t fields = 0;
  std::uint32_t task_bytes = 0;  // of the content
  std::uint32_t content_bytes = 0;
  std::uint32_t argument_bytes = 0;
  // The content, and the arguments.
  std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
};

namespace {

// One for which there was no memory. Has no owners.
constinit rs_task unknown_task;

}  // namespace

namespace ringside {
namespace {

// Of a thread that cannot tell its task.
constinit const ContextStack kNoContext{};

void state_last(ThreadContext* context) {
  change_context(context, [context] {
    context->stated = context->unknown_tasks != 0 ? &kNoContext : &context->stack();
  });
}

void fill(EnteredTask* entered, rs_task* task) {
  ContextStack& stack = entered->stack;
  stack.number = next_stack_number();
  stack.site = task->site;
  stack.fields = stack.first_fields = task->fields;
  stack.task_bytes = task->task_bytes;
  stack.content_bytes = task->content_bytes;
  stack.argument_bytes = task->argument_bytes;
  std::memcpy(stack.content.data(), task->bytes(), task->content_bytes);
  std::memcpy(stack.arguments.data(), task->bytes() + task->content_bytes, task->argument_bytes);
  // A thread that comes after another one has what that one stored before it handed the task on.
  set_task_step(&stack, task->steps.fetch_add(1, std::memory_order_relaxed) + 1);
  entered->task = task;
}

// The fields in force in the calling thread, without those of its task.
void append_context(ContextStack* stack) {
  ThreadContext* const context = thread_context();
  if (context == nullptr) return;
  const ContextStack& present = context->stack();
  const std::size_t bytes = present.content_bytes - present.task_bytes;
  if (bytes > stack->content.size() - stack->content_bytes) return;
  std::memcpy(stack->content.data() + stack->content_bytes,
              present.content.data() + present.task_bytes, bytes);
  stack->content_bytes += static_cast<std::uint32_t>(bytes);
  stack->fields += present.fields;
  if (present.task_bytes != 0) stack->fields -= static_cast<std::uint32_t>(shm::kTaskFields);
}

constinit std::atomic<std::uint64_t> last_task{0};

}  // namespace
}  // namespace ringside

rs_task* rs_task_create(const char* name, std::uint64_t name_bytes) {
  using namespace ringside;
  ContextStack stack;
  const std::uint64_t id = last_task.fetch_add(1, std::memory_order_relaxed) + 1;
  begin_task(&stack, name != nullptr ? std::string_view(name, name_bytes) : std::string_view(), id);
  append_context(&stack);
  const std::optional<ContextStatement> statement = context_statement_of(stack);
  if (!statement) return &unknown_task;
  void* const memory =
      std::malloc(sizeof(rs_task) + stack.content_bytes + statement->argument_bytes);
  if (memory == nullptr) return &unknown_task;
  auto* const task = new (memory) rs_task;
  task->id = id;
  task->site = statement->site;
  task->fields = stack.fields;
  task->task_bytes = stack.task_bytes;
  task->content_bytes = stack.content_bytes;
  task->argument_bytes = statement->argument_bytes;
  std::memcpy(task->bytes(), stack.content.data(), stack.content_bytes);
  std::memcpy(task->bytes() + stack.content_bytes, statement->arguments.data(),
              statement->argument_bytes);
  return task;
}

rs_task* rs_task_current() {
  const ringside::ThreadContext* const context = ringside::thread_context();
  if (context == nullptr) return nullptr;
  if (context->unknown_tasks != 0) return &unknown_task;
  if (context->task == nullptr) return nullptr;
  return rs_task_share(context->task->task);
}

rs_task* rs_task_share(rs_task* task) {
  if (task != nullptr && task != &unknown_task)
    task->owners.fetch_add(1, std::memory_order_relaxed);
  return task;
}

void rs_task_release(rs_task* task) {
  // Its last owner frees what the others have read.
  if (task == nullptr || task == &unknown_task) return;
  if (task->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  task->~rs_task();
  std::free(task);
}

std::uint64_t rs_task_id(const rs_task* task) {
  return task != nullptr ? task->id : 0;
}

std::int32_t rs_task_enter(rs_task* task, rs_task_entry* entry) {
  using namespace ringside;
  entry->entered = nullptr;
  if (task == nullptr) return RS_REFUSED_POINTER;
  ThreadContext* const context = make_thread_context();
  // Without one, the thread has never been in a context or a task.
  if (context == nullptr || !has_none_site(context)) return RS_REFUSED_MEMORY;
  EnteredTask* const entered = task != &unknown_task ? take_entered_task(context) : nullptr;
  if (entered == nullptr) {
    ++context->unknown_tasks;
    entry->entered = &unknown_task;
    state_last(context);
    return RS_REFUSED_MEMORY;
  }
  fill(entered, rs_task_share(task));
  entered->outer = context->task;
  context->task = entered;
  entry->entered = entered;
  state_last(context);
  return 1;
}

void rs_task_leave(rs_task_entry* entry) {
  using namespace ringside;
  void* const entered = std::exchange(entry->entered, nullptr);
  ThreadContext* const context = thread_context();
  if (context == nullptr || entered == nullptr) return;
  if (entered == &unknown_task) {
    if (context->unknown_tasks == 0) return;
    --context->unknown_tasks;
    return state_last(context);
  }
  // Not always the last one; and none if it was entered in another thread.
  EnteredTask** place = &context->task;
  while (*place != nullptr && *place != entered) place = &(*place)->outer;
  if (*place == nullptr) return;
  EnteredTask* const left = *place;
  *place = left->outer;
  state_last(context);
  rs_task* const task = std::exchange(left->task, nullptr);
  give_back(context, left);
  rs_task_release(task);
}
