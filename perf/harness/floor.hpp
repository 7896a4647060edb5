#pragma once
// The floor: what no tracer that dates its records can go below. It reads the TSC and stores it.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::perf {

// Stores go round 16 KiB, which stay in the first-level cache.
class Floor {
 public:
  static constexpr const char* kName = "floor";

  Floor() : stored_(kSlots) {}

  [[gnu::always_inline]] void call(int i) {
    stored_[static_cast<std::size_t>(i) % kSlots] = __builtin_ia32_rdtsc();
    asm volatile("" ::: "memory");
  }

  // The loop at its best: `count` calls, the address advanced instead of computed. Ticks taken.
  [[gnu::noinline]] std::uint64_t burst_ticks(int count) {
    const std::uint64_t start = __builtin_ia32_rdtsc();
    while (count > 0) {
      const int part = count < static_cast<int>(kSlots) ? count : static_cast<int>(kSlots);
      std::uint64_t* next = stored_.data();
      asm volatile("" : "+r"(next));
      for (int i = 0; i < part; ++i) {
        *next++ = __builtin_ia32_rdtsc();
        asm volatile("" ::: "memory");
      }
      count -= part;
    }
    return __builtin_ia32_rdtsc() - start;
  }

 private:
  static constexpr std::size_t kSlots = 2048;  // of 8 bytes
  std::vector<std::uint64_t> stored_;
};

}  // namespace ringside::perf
