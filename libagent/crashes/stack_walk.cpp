#include "libagent/crashes/stack_walk.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <pthread.h>
#include <unwind.h>

#include "libagent/crashes/interrupted_registers.hpp"
#include "libagent/process/checked_read.hpp"
#include "libagent/process/mapped_modules.hpp"

namespace ringside {
namespace {

// The walk that may fault. Only the thread of the walk uses it.
std::atomic<bool> g_is_unwinding{false};
sigjmp_buf g_after_fault;
MappedModules g_walk_modules;

// Frames of the handler, which come first.
constexpr int kMostOwnFrames = 64;

struct Unwinding {
  std::uint64_t pc;  // of the interrupted instruction
  StackAddresses* stack;
  bool has_met_pc;
  int own_frames;
};

void add(StackAddresses* stack, std::uint64_t address) {
  if (stack->count != StackAddresses::kMost) {
    stack->addresses[stack->count++] = address;
  } else {
    stack->is_cut = true;
  }
}

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* argument) {
  auto& unwinding = *static_cast<Unwinding*>(argument);
  int is_interrupted = 0;
  const std::uint64_t pc = _Unwind_GetIPInfo(context, &is_interrupted);
  if (!unwinding.has_met_pc) {
    unwinding.has_met_pc = is_interrupted != 0 && pc == unwinding.pc;
    return ++unwinding.own_frames == kMostOwnFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
  if (pc != 0) add(unwinding.stack, is_interrupted != 0 ? pc + 1 : pc);
  return pc == 0 || unwinding.stack->is_cut ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void unblock_faults() {
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

void unwind(Unwinding unwinding) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  if (sigsetjmp(g_after_fault, 0) == 0) {
    unblock_faults();
    g_is_unwinding.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    _Unwind_Backtrace(take_frame, &unwinding);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  g_is_unwinding.store(false, std::memory_order_relaxed);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

// Also true if the mappings cannot be read.
bool is_executable(std::uint64_t address) {
  struct Search {
    std::uint64_t address;
    bool is_found;
  } search{address, false};
  const MappedModules::Use compare = [](void* context, MappedModule& module) {
    auto& wanted = *static_cast<Search*>(context);
    wanted.is_found = module.contains(wanted.address);
    return !wanted.is_found && module.begin <= wanted.address;
  };
  return !g_walk_modules.visit(compare, &search) || search.is_found;
}

// A frame begins with the caller's frame pointer, then the return address.
void follow_frame_pointers(const InterruptedRegisters& registers, StackAddresses* stack) {
  constexpr std::uint64_t kMostFrameBytes = 8 << 20;
  std::uint64_t lowest = registers.sp;
  std::uint64_t at = registers.fp;
  while (!stack->is_cut && at % sizeof at == 0 && at >= lowest && at - lowest < kMostFrameBytes) {
    std::uint64_t words[2] = {};
    if (!read_checked(at, &words) || words[1] == 0 || !is_executable(words[1])) return;
    add(stack, words[1]);
    lowest = at + sizeof words;
    at = words[0];
  }
}

// After a call of an address without code, the unwinder can continue in the caller. False: this was
// no such call.
bool return_to_caller(void* context, InterruptedRegisters registers) {
  if (is_executable(registers.pc)) return false;
#if defined(__x86_64__)
  if (!read_checked(registers.sp, &registers.link)) return false;
  registers.sp += sizeof registers.link;
#endif
  if (registers.link == 0 || !is_executable(registers.link)) return false;
  registers.pc = registers.link;
  set_interrupted_registers(context, registers);
  return true;
}

}  // namespace

void prepare_stack_walk() {
  StackAddresses none;
  Unwinding unwinding{0, &none, false, 0};
  _Unwind_Backtrace(take_frame, &unwinding);
}

void walk_interrupted_stack(void* context, StackAddresses* stack) {
  const InterruptedRegisters interrupted = interrupted_registers(context);
  stack->count = 0;
  stack->is_cut = false;
  add(stack, interrupted.pc);
  std::uint64_t from = interrupted.pc;
  const bool is_in_caller = return_to_caller(context, interrupted);
  if (is_in_caller) {
    from = interrupted_registers(context).pc;
    add(stack, from);
  }
  const std::size_t known = stack->count;
  unwind({from, stack, false, 0});
  if (stack->count == known) follow_frame_pointers(interrupted, stack);
  if (is_in_caller) set_interrupted_registers(context, interrupted);
}

void walk_own_stack(StackAddresses* stack) {
  stack->count = 0;
  stack->is_cut = false;
  unwind({0, stack, true, 0});
}

void leave_faulting_walk() {
  if (g_is_unwinding.load(std::memory_order_relaxed)) siglongjmp(g_after_fault, 1);
}

}  // namespace ringside
