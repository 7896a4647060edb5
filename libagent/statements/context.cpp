// The contexts that a thread enters and leaves.

#include <cstring>
#include <optional>

#include "libagent/include/ringside/context_abi.h"
#include "libagent/recording/thread_context.hpp"
#include "libagent/statements/context_stack.hpp"
#include "shm-layout/task_fields.hpp"

namespace ringside {
namespace {

// Brings the statement and its arguments up to the content. False if that has no statement: then
// nothing has changed.
bool settle(ThreadContext* context) {
  ContextStack& stack = context->stack();
  if (!has_none_site(context)) return false;
  const std::optional<ContextStatement> statement = context_statement_of(stack);
  if (!statement) return false;
  change_context(context, [&] {
    stack.site = statement->site;
    stack.argument_bytes = statement->argument_bytes;
    std::memcpy(stack.arguments.data(), statement->arguments.data(), statement->argument_bytes);
  });
  return true;
}

// What was in force, and in which stack. A mark has two words of 32 bits, and the numbers of fields
// and bytes take 16 each: the upper halves have the number of the stack.
struct Mark {
  std::uint32_t fields;
  std::uint32_t bytes;
  std::uint32_t stack_number;

  static Mark of(const ContextStack& stack) {
    return {stack.fields, stack.content_bytes, stack.number};
  }
  explicit Mark(const rs_context_mark& mark)
      : fields(mark.fields & kLow),
        bytes(mark.bytes & kLow),
        stack_number(mark.fields >> kBits | (mark.bytes & ~kLow)) {}
  rs_context_mark packed() const {
    return {fields | stack_number << kBits, bytes | (stack_number & ~kLow)};
  }

 private:
  static constexpr unsigned kBits = 16;
  static constexpr std::uint32_t kLow = 0xFFFF;
  static_assert(sizeof(ContextStack::content) <= kLow);
  Mark(std::uint32_t fields_, std::uint32_t bytes_, std::uint32_t number)
      : fields(fields_), bytes(bytes_), stack_number(number) {}
};

void forget_since(const Mark& mark, ContextStack* stack) {
  stack->fields = mark.fields;
  stack->content_bytes = mark.bytes;
}

template <class Append>
std::int32_t enter(rs_context_mark* mark, Append&& append) {
  *mark = {};
  ThreadContext* const context = make_thread_context();
  if (context == nullptr) return RS_REFUSED_MEMORY;
  ContextStack& stack = context->stack();
  const Mark before = Mark::of(stack);
  *mark = before.packed();
  std::int32_t refusal = append(&stack);
  if (refusal == 0 && !settle(context)) refusal = RS_REFUSED_COUNT;
  if (refusal != 0) forget_since(before, &stack);
  return refusal != 0 ? refusal : 1;
}

}  // namespace
}  // namespace ringside

std::int32_t rs_context_enter(const rs_context_field* fields, std::uint32_t count,
                              rs_context_mark* mark) {
  using namespace ringside;
  return enter(mark, [&](ContextStack* stack) -> std::int32_t {
    if (fields == nullptr && count != 0) return RS_REFUSED_POINTER;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const std::int32_t refusal = append_field(stack, fields[i])) return refusal;
    }
    return 0;
  });
}

void rs_context_leave(const rs_context_mark* mark) {
  using namespace ringside;
  ThreadContext* const context = thread_context();
  if (context == nullptr) return;
  ContextStack& stack = context->stack();
  const Mark before(*mark);
  // Of a task that was left, with all contexts in it; or entered before the task: it ends outside.
  if (before.stack_number != stack.number) return;
  // A context that was refused has left nothing to end.
  if (stack.fields <= before.fields || before.fields < stack.first_fields) return;
  forget_since(before, &stack);
  settle(context);
}

void rs_context_capture(rs_captured_context* captured) {
  using namespace ringside;
  captured->fields = captured->bytes = 0;
  ThreadContext* const context = thread_context();
  if (context == nullptr) return;
  // The records of another thread are not the task's.
  const ContextStack& stack = context->stack();
  const std::size_t task_fields = stack.task_bytes != 0 ? shm::kTaskFields : 0;
  captured->fields = stack.fields - static_cast<std::uint32_t>(task_fields);
  captured->bytes = stack.content_bytes - stack.task_bytes;
  std::memcpy(captured->content, stack.content.data() + stack.task_bytes, captured->bytes);
}

std::int32_t rs_context_enter_captured(const rs_captured_context* captured, rs_context_mark* mark) {
  using namespace ringside;
  return enter(mark, [&](ContextStack* stack) -> std::int32_t {
    if (captured->bytes > stack->content.size() - stack->content_bytes) return RS_REFUSED_COUNT;
    std::memcpy(stack->content.data() + stack->content_bytes, captured->content, captured->bytes);
    stack->content_bytes += captured->bytes;
    stack->fields += captured->fields;
    return 0;
  });
}
