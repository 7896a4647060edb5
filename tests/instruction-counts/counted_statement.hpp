#pragma once
// Counts of the instructions of a statement: one dump per statement, named after it, with kCalls
// calls.

#include <valgrind/callgrind.h>

namespace ringside::test {

inline constexpr int kCalls = 1000;

// Makes arguments opaque to the compiler, as they are in a service.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}
inline double opaque(double value) {
  asm volatile("" : "+x"(value));
  return value;
}

// The statement is inlined into the loop, as in a service's own function.
template <class Call>
[[gnu::noinline]] void repeat(const Call& call) {
  for (int i = 0; i < kCalls; ++i) call();
}

template <class Call>
void count(const char* name, const Call& call) {
  call();  // registers the statement
  CALLGRIND_ZERO_STATS;
  repeat(call);
  CALLGRIND_DUMP_STATS_AT(name);
}

}  // namespace ringside::test
