#pragma once
// Measures one call by itself.

#include <cstdint>

#include "perf/harness/floor.hpp"
#include "perf/harness/subject.hpp"

namespace ringside::perf {

// The clock around a call: lfence keeps earlier work out of the interval, rdtscp waits for all of
// the call's instructions, and a second lfence keeps later ones from starting before the read. A
// bare rdtsc pair overlaps with the call and hides part of it (perf/README.md has the figures).
[[gnu::always_inline]] inline std::uint64_t clock_before() {
  __builtin_ia32_lfence();
  const std::uint64_t now = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return now;
}

[[gnu::always_inline]] inline std::uint64_t clock_after() {
  unsigned processor = 0;
  const std::uint64_t now = __builtin_ia32_rdtscp(&processor);
  __builtin_ia32_lfence();
  return now;
}

// All three have the same shape: ticks of one call, including the clock's own cost. Aligned, so
// that the floor's instructions do not fit into one cache line in one program and straddle two in
// another.
struct EmptyCall {
  [[gnu::noinline, gnu::aligned(64)]] std::uint64_t ticks(int i) {
    const std::uint64_t start = clock_before();
    asm volatile("" : "+r"(i)::"memory");
    return clock_after() - start;
  }
};

// On a separate cache line: a cold call finds its position in evicted memory, as a tracer does.
class alignas(64) FloorCall {
 public:
  [[gnu::noinline, gnu::aligned(64)]] std::uint64_t ticks(int i) {
    const std::uint64_t start = clock_before();
    floor_.call(i);
    return clock_after() - start;
  }

 private:
  Floor floor_;
};

template <Subject S, Case C>
struct SubjectCall {
  [[gnu::noinline, gnu::aligned(64)]] std::uint64_t ticks(int i) {
    const std::uint64_t start = clock_before();
    S::template call<C>(i);
    return clock_after() - start;
  }
};

}  // namespace ringside::perf
