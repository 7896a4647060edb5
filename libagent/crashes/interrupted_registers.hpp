#pragma once
// The registers of the code that a signal interrupted, from the third argument of its handler.

#include <cstdint>
#include <ucontext.h>

namespace ringside {

struct InterruptedRegisters {
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
  std::uint64_t link = 0;  // where a function that has just been called returns to; 0 on x86
};

inline InterruptedRegisters interrupted_registers(const void* context) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  InterruptedRegisters registers;
#if defined(__x86_64__)
  registers.pc = static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
  registers.sp = static_cast<std::uint64_t>(machine.gregs[REG_RSP]);
  registers.fp = static_cast<std::uint64_t>(machine.gregs[REG_RBP]);
#else
  registers.pc = machine.pc;
  registers.sp = machine.sp;
  registers.fp = machine.regs[29];
  registers.link = machine.regs[30];
#endif
  return registers;
}

// Lets the unwinder continue at another place than the interrupted one.
inline void set_interrupted_registers(void* context, const InterruptedRegisters& registers) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  machine.gregs[REG_RIP] = static_cast<greg_t>(registers.pc);
  machine.gregs[REG_RSP] = static_cast<greg_t>(registers.sp);
#else
  machine.pc = registers.pc;
  machine.sp = registers.sp;
#endif
}

}  // namespace ringside
