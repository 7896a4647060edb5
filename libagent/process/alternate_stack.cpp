#include "libagent/process/alternate_stack.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <sys/auxv.h>
#include <sys/mman.h>

#include "libagent/process/page_size.hpp"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace ringside {
namespace {

std::atomic<bool> g_wanted{false};

// Its memory; null: the thread has none of ours.
constinit thread_local std::byte* t_stack = nullptr;

// Of the handler and of the one before it, plus the registers that the kernel saves there, whose
// size depends on the processor.
std::size_t stack_bytes() {
  constexpr std::size_t kHandlerBytes = 64 << 10;
  const std::size_t page = page_bytes();
  return (kHandlerBytes + getauxval(AT_MINSIGSTKSZ) + page - 1) / page * page;
}

bool has_alternate_stack() {
  stack_t present{};
  return sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0;
}

bool create_stack() {
  const std::size_t guard_bytes = page_bytes();
  const std::size_t all_bytes = guard_bytes + stack_bytes();
  void* const memory = mmap(nullptr, all_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* const begin = static_cast<std::byte*>(memory);
  stack_t stack{};
  stack.ss_sp = begin + guard_bytes;
  stack.ss_size = all_bytes - guard_bytes;
  if (mprotect(memory, guard_bytes, PROT_NONE) != 0 || sigaltstack(&stack, nullptr) != 0) {
    munmap(memory, all_bytes);
    return false;
  }
  t_stack = begin;
  return true;
}

}  // namespace

void want_alternate_stacks() {
  g_wanted.store(true, std::memory_order_relaxed);
}

bool give_alternate_stack() {
  if (!g_wanted.load(std::memory_order_relaxed)) return true;
  const int error = errno;
  const bool has_one = has_alternate_stack() || create_stack();
  errno = error;
  return has_one;
}

void take_alternate_stack_back() {
  if (t_stack == nullptr) return;
  stack_t present{};
  const bool is_known = sigaltstack(nullptr, &present) == 0;
  std::byte* const begin = std::exchange(t_stack, nullptr);
  if (!is_known) return;
  const bool is_present = present.ss_sp == begin + page_bytes();
  if (is_present && (present.ss_flags & SS_ONSTACK) != 0) return;  // a handler ends the thread
  if (is_present) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, nullptr) != 0) return;
  }
  munmap(begin, page_bytes() + stack_bytes());
}

}  // namespace ringside
