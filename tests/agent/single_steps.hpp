// Steps through code with the processor's trap flag, which raises SIGTRAP after each instruction.
#pragma once

#if defined(__x86_64__)
#define RS_TEST_SINGLE_STEPS 1
#endif
#if defined(__SANITIZE_THREAD__)
#undef RS_TEST_SINGLE_STEPS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef RS_TEST_SINGLE_STEPS
#endif
#endif

#if defined(RS_TEST_SINGLE_STEPS)
namespace ringside::test {

constexpr unsigned long kTrapFlag = 0x100;

// Both leave the red zone of the calling function alone, into which they are inlined.
__attribute__((always_inline)) inline void begin_stepping() {
  __asm__ volatile(
      "leaq -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), %%rsp"
      :
      : "i"(kTrapFlag)
      : "memory", "cc");
}
__attribute__((always_inline)) inline void end_stepping() {
  __asm__ volatile(
      "leaq -128(%%rsp), %%rsp\n\tpushfq\n\tandq %0, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), %%rsp"
      :
      : "i"(~static_cast<long>(kTrapFlag))
      : "memory", "cc");
}

}  // namespace ringside::test
#endif
