#include "libagent/crashes/crash_handler.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "libagent/crashes/crash_statements.hpp"
#include "libagent/crashes/signal_text.hpp"
#include "libagent/crashes/stack_walk.hpp"
#include "libagent/crashes/terminating_exception.hpp"
#include "libagent/include/ringside/crash.hpp"
#include "libagent/include/ringside/ringside.h"
#include "libagent/process/alternate_stack.hpp"
#include "libagent/process/former_signal_action.hpp"
#include "libagent/process/mapped_modules.hpp"

namespace ringside {
namespace {

constexpr std::array kCrashSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
// Written before the handler of the signal is installed.
std::array<FormerSignalAction, kCrashSignals.size()> g_former_actions;
std::atomic<bool> g_handles_crashes{false};

// The thread that records a crash, as `process << 32 | thread`; 0: none. It keeps the place if the
// process is about to end, so that there is one record. That of another process counts as none: a
// child of vfork that crashes never gives back the place in its parent's memory, and a child of
// fork may have a copy of the place that a thread of its parent had.
std::atomic<std::uint64_t> g_recorder{0};
// Of the record; a handler's stack has no room for them.
StackAddresses g_stack;
MappedModules g_crash_modules;

enum class Turn { first, again, too_late };

// Waits for another thread, which usually ends the process. Five seconds, because a handler of the
// service may take long, or forever.
Turn take_turn() {
  constexpr int kMostWaits = 5000;
  const timespec millisecond{0, 1'000'000};
  const std::uint64_t process = static_cast<std::uint32_t>(syscall(SYS_getpid));
  const std::uint64_t self = process << 32 | static_cast<std::uint32_t>(syscall(SYS_gettid));
  for (int waits = 0; waits < kMostWaits; ++waits) {
    std::uint64_t holder = g_recorder.load(std::memory_order_relaxed);
    if (holder == self) return Turn::again;
    const bool is_free = holder == 0 || holder >> 32 != process;
    if (is_free && g_recorder.compare_exchange_strong(holder, self, std::memory_order_acquire)) {
      return Turn::first;
    }
    syscall(SYS_nanosleep, &millisecond, nullptr);
  }
  return Turn::too_late;
}

void end_turn() {
  g_recorder.store(0, std::memory_order_release);
}

void record_modules_of(StackAddresses& stack) {
  const MappedModules::Use record_if_needed = [](void* context, MappedModule& module) {
    const auto& addresses = *static_cast<const StackAddresses*>(context);
    for (std::size_t i = 0; i < addresses.count; ++i) {
      if (!module.contains(addresses.addresses[i] - (i == 0 ? 0 : 1))) continue;
      find_build_id(module);
      record_module(module);
      break;
    }
    return true;
  };
  g_crash_modules.visit(record_if_needed, &stack);
}

void add_exception(CrashFacts* facts) {
  if (!is_terminating()) return;
  const TerminatingException exception = terminating_exception();
  facts->exception = exception.type;
  facts->what = exception.what;
}

void record_signal(int signal, const siginfo_t& info, void* context) {
  CrashFacts facts;
  facts.signal = signal;
  facts.signal_name = signal_name(signal);
  facts.code = info.si_code;
  facts.reason = signal_reason(info);
  if (is_fault(info)) {
    facts.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  } else if (info.si_code <= 0 && info.si_pid != getpid()) {
    facts.sender_pid = info.si_pid;
  }
  facts.registers = interrupted_registers(context);
  add_exception(&facts);
  walk_interrupted_stack(context, &g_stack);
  record_modules_of(g_stack);
  record_crash(facts, g_stack);
}

FormerSignalAction& former_action(int signal) {
  std::size_t i = 0;
  while (i + 1 < kCrashSignals.size() && kCrashSignals[i] != signal) ++i;
  return g_former_actions[i];
}

std::atomic<bool> g_has_recorded_terminate{false};

// The handler of std::terminate has recorded it, and its caller aborts.
bool is_recorded(int signal) {
  return signal == SIGABRT && is_terminating() &&
         g_has_recorded_terminate.load(std::memory_order_relaxed);
}

// A signal that was sent while this thread records: comes again when the handler has ended.
void postpone(int signal, siginfo_t* info, void* context) {
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, signal);
  syscall(SYS_rt_tgsigqueueinfo, syscall(SYS_getpid), syscall(SYS_gettid), signal, info);
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  FormerSignalAction& former = former_action(signal);
  const bool is_repaired = signal == SIGBUS && rs_handle_sigbus(info) != 0;
  if (is_repaired || former.ignores(signal, *info)) {
    errno = error;
    return;
  }
  const Turn turn = take_turn();
  if (turn == Turn::again) {
    if (!is_fault(*info)) return postpone(signal, info, context);
    leave_faulting_walk();
    return take_default_action(signal, info);
  }
  if (turn == Turn::first) {
    if (can_record_crash() && !is_recorded(signal)) record_signal(signal, *info, context);
    if (former.is_handler()) end_turn();
  }
  errno = error;
  former.pass_on(signal, info, context);
}

// The handler of the service for std::terminate may end the process without a signal.
void record_terminate() {
  if (!can_record_crash() || take_turn() != Turn::first) return;
  CrashFacts facts;
  facts.signal_name = "std::terminate";
  add_exception(&facts);
  walk_own_stack(&g_stack);
  record_modules_of(g_stack);
  record_crash(facts, g_stack);
  g_has_recorded_terminate.store(true, std::memory_order_relaxed);
  end_turn();
}

bool install_for(int signal) {
  struct sigaction present {};
  if (sigaction(signal, nullptr, &present) != 0) return false;
  former_action(signal).assign(present);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | (present.sa_flags & static_cast<int>(SA_RESTART));
  for (const int each : kCrashSignals) sigaddset(&action.sa_mask, each);
  // A fault while SIGBUS is blocked would end the process, even one in a truncated segment.
  sigdelset(&action.sa_mask, SIGBUS);
  if (signal == SIGBUS) action.sa_flags |= static_cast<int>(SA_NODEFER);
  return sigaction(signal, &action, nullptr) == 0;
}

bool is_crash_handler(int signal) {
  struct sigaction present {};
  return sigaction(signal, nullptr, &present) == 0 && (present.sa_flags & SA_SIGINFO) != 0 &&
         present.sa_sigaction == on_crash;
}

// At the end of the process, or of a shared object that contains the library.
__attribute__((destructor(102))) void record_exit_and_uninstall() {
  if (!g_handles_crashes.exchange(false)) return;
  // Not in a child of fork that has no segment: it would get one for this record alone.
  if (can_record_crash()) record_exit();
  uninstall_terminate_handler();
  for (const int signal : kCrashSignals) {
    if (is_crash_handler(signal)) sigaction(signal, &former_action(signal).action(), nullptr);
  }
}

}  // namespace

bool install_crash_handlers() {
  const bool is_registered = register_crash_statements();
  want_alternate_stacks();
  const bool has_stack = give_alternate_stack();
  if (!g_handles_crashes.exchange(true)) {
    prepare_stack_walk();
    install_terminate_handler(record_terminate);
    for (const int signal : kCrashSignals) {
      if (!install_for(signal)) return false;
    }
  }
  return is_registered && has_stack;
}

bool install_crash_handler() noexcept {
  return install_crash_handlers();
}

}  // namespace ringside

int rs_install_crash_handler(void) {
  return ringside::install_crash_handlers() ? 1 : 0;
}
