#pragma once
// Words that one thread and its signal handlers share; see also rs_fetch_add_local.

#include <cstdint>

namespace ringside {

inline std::uint64_t load_local(const std::uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// Sets *word to `desired` if it equals `expected`; atomic only with respect to this thread's
// handlers.
inline bool exchange_local(std::uint64_t* word, std::uint64_t expected, std::uint64_t desired) {
#if defined(__x86_64__)
  unsigned char done = 0;
  __asm__ volatile("cmpxchgq %3, %1"
                   : "=@ccz"(done), "+m"(*word), "+a"(expected)
                   : "r"(desired)
                   : "memory");
  return done != 0;
#else
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
#endif
}

}  // namespace ringside
