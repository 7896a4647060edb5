#pragma once
// The return addresses of the code that a signal interrupted.
//
// The unwinder of the compiler comes first: most code has no frame pointers. It is not made for
// damaged stacks, and may fault: the handler of that fault calls leave_faulting_walk(), and the
// walk continues with frame pointers, which it reads with checks.

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside {

struct StackAddresses {
  static constexpr std::size_t kMost = 64;

  // The first is that of the interrupted instruction. Each further one is where a call returns to,
  // or one more than an instruction that another signal interrupted: one less is always within the
  // instruction that a reader looks for.
  std::array<std::uint64_t, kMost> addresses{};
  std::size_t count = 0;
  bool is_cut = false;  // there are more
};

// Loads what the unwinder needs, before a signal: its first use takes locks and allocates.
void prepare_stack_walk();

// In the handler of the signal, which gives its third argument; one thread at a time. Changes the
// registers there, and restores them. While it runs, SIGSEGV and SIGBUS are
// unblocked. No allocation and no lock, except that the unwinder of a C library before glibc 2.35
// takes the one of the dynamic linker.
void walk_interrupted_stack(void* context, StackAddresses* stack);

// The same for the caller, outside of a signal handler.
void walk_own_stack(StackAddresses* stack);

// For a handler of SIGSEGV and SIGBUS on the thread of the walk, if the signal is a fault. Returns
// only if there is no such walk.
void leave_faulting_walk();

}  // namespace ringside
