#include "libagent/process/running_processor.hpp"

#include <sched.h>

#include "shm-layout/record_head.hpp"

#if !defined(__x86_64__)
// Of the C library, since glibc 2.35: not 0 if it has registered its threads for the kernel to
// store their processor in their memory.
extern "C" const unsigned int __rseq_size
    __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
#endif

namespace ringside {

std::uint32_t running_processor() {
#if !defined(__x86_64__)
  // Without that memory, sched_getcpu() is a system call here: there is no vDSO function.
  if (&__rseq_size == nullptr || __rseq_size == 0) return 0;
#endif
  const int number = sched_getcpu();
  return number < 0 ? 0 : shm::processor_code(static_cast<std::uint32_t>(number));
}

}  // namespace ringside
