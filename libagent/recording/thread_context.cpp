#include "libagent/recording/thread_context.hpp"

#include <atomic>
#include <new>

#include "libagent/process/reentry_guard.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/signals_blocked.hpp"

namespace ringside {
namespace {

// On the heap: a shared library may have little thread-local storage of this kind.
constinit thread_local ThreadContext* t_context = nullptr;
constinit thread_local std::uint64_t t_version = 0;
constinit std::atomic<std::uint32_t> last_stack_number{0};

}  // namespace

ThreadContext* thread_context() {
  return t_context;
}

ThreadContext* make_thread_context() {
  if (t_context != nullptr || ReentryGuard::is_active()) return t_context;
  const SignalsBlocked blocked;
  const ReentryGuard guard;
  t_context = new (std::nothrow) ThreadContext;
  if (t_context != nullptr) {
    t_context->own.number = next_stack_number();
    arrange_retirement();
  }
  return t_context;
}

std::uint64_t next_context_version() {
  return ++t_version;
}

std::uint32_t next_stack_number() {
  for (;;) {
    const std::uint32_t number = last_stack_number.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number != 0) return number;
  }
}

void state_context_next() {
  // A thread without a ring takes the slow path anyway.
  __atomic_store_n(&rs_thread_state.limit, std::uint64_t{0}, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

EnteredTask* take_entered_task(ThreadContext* context) {
  if (EnteredTask* const first = context->unused) {
    context->unused = first->outer;
    return first;
  }
  if (ReentryGuard::is_active()) return nullptr;
  const SignalsBlocked blocked;
  const ReentryGuard guard;
  return new (std::nothrow) EnteredTask;
}

void give_back(ThreadContext* context, EnteredTask* entered) {
  entered->outer = context->unused;
  context->unused = entered;
}

void free_thread_context() {
  if (t_context == nullptr || t_context->own.fields != 0 || t_context->task != nullptr) return;
  const SignalsBlocked blocked;
  const ReentryGuard guard;
  while (EnteredTask* const first = t_context->unused) {
    t_context->unused = first->outer;
    delete first;
  }
  delete t_context;
  t_context = nullptr;
}

}  // namespace ringside
