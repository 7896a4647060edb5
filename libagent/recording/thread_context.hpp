#pragma once
// The context of the calling thread's records, as the slow path states it in the thread's ring.

#include <array>
#include <cstddef>
#include <cstdint>

#include "libagent/include/ringside/abi.h"
#include "shm-layout/dictionary_entry.hpp"

struct rs_task;

namespace ringside {

// The contexts in force, and the record that states them.
struct ContextStack {
  // Of this use of the stack, in the process; never 0. A mark of another one ends nothing here.
  std::uint32_t number = 0;
  rs_site* site = nullptr;  // the statement of the context in force; null: there is none
  std::uint32_t argument_bytes = 0;
  std::array<std::byte, shm::kMaxOwnContextBytes> arguments{};
  // What the contexts in force consist of, outermost first: libagent/statements/context_stack.cpp.
  std::uint32_t fields = 0;
  std::uint32_t content_bytes = 0;
  std::array<std::byte, 1528> content{};
  // Of a task: how much of it no context leaves, and how much of that are the task's own fields.
  std::uint32_t first_fields = 0;
  std::uint32_t task_bytes = 0;
};

// A task that the thread has entered and not left.
struct EnteredTask {
  ContextStack stack;
  rs_task* task = nullptr;
  EnteredTask* outer = nullptr;  // or the next unused one
};

// Changed by the thread between its records, read by its slow path, also in signal handlers.
struct ThreadContext {
  // Another number after each change; 0 during one.
  std::uint64_t version = 0;
  rs_site* none_site = nullptr;  // the statement of the end of a context
  const ContextStack* stated = &own;
  ContextStack own;               // outside tasks
  EnteredTask* task = nullptr;    // that was entered last
  EnteredTask* unused = nullptr;  // kept for the next tasks
  // Tasks that were entered without memory for them: the records have no context, rather than that
  // of another task.
  std::uint32_t unknown_tasks = 0;

  // That contexts change.
  ContextStack& stack() { return task != nullptr ? task->stack : own; }
};

// Null if the thread never had a context.
ThreadContext* thread_context();
// The same, and creates it. Null if there is no memory.
ThreadContext* make_thread_context();

// A number that no context of this thread has had.
std::uint64_t next_context_version();

// For ContextStack::number.
std::uint32_t next_stack_number();

// The next record of this thread takes the slow path, which states the context before it.
void state_context_next();

// For a task; its other members are undefined. Null if there is no memory.
EnteredTask* take_entered_task(ThreadContext* context);
void give_back(ThreadContext* context, EnteredTask* entered);

// When a thread ends: frees it, unless a context or a task is still in force.
void free_thread_context();

}  // namespace ringside
