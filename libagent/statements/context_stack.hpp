#pragma once
// The fields of the contexts in force, and the statement and values that they make.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libagent/include/ringside/context_abi.h"
#include "libagent/process/local_word.hpp"
#include "libagent/recording/thread_context.hpp"

namespace ringside {

// Appends a field. Returns 0, or an enum rs_refusal: then nothing has changed.
std::int32_t append_field(ContextStack* stack, const rs_context_field& field);

// The fields of a task, which precede all others of an empty stack. Its step is 0.
void begin_task(ContextStack* stack, std::string_view name, std::uint64_t id);
// Also in the arguments, which must be up to date.
void set_task_step(ContextStack* stack, std::uint64_t step);

// The record of the fields in force: an inner one takes the place of an outer one of the same name.
struct ContextStatement {
  rs_site* site = nullptr;  // null: there are no fields
  std::uint32_t argument_bytes = 0;
  std::array<std::byte, shm::kMaxOwnContextBytes> arguments;
};
// Nothing if there are too many fields, or no more statements.
std::optional<ContextStatement> context_statement_of(const ContextStack& stack);

// Whether the end of a context is available. Without it, none may begin.
bool has_none_site(ThreadContext* context);

// Calls change(), which changes what the thread's records state.
template <class Change>
void change_context(ThreadContext* context, Change&& change) {
  // A handler that logs meanwhile states nothing.
  __atomic_store_n(&context->version, std::uint64_t{0}, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  change();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&context->version, next_context_version(), __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  state_context_next();
}

}  // namespace ringside
