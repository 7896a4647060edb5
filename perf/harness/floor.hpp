#pragma once
// The floor: the lower bound for every tracer that timestamps its records. It reads the TSC and
// stores it.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::perf {

// The stores cycle through 16 KiB, which stay in the first-level cache.
class Floor {
 public:
  static constexpr const char* kName = "floor";

  Floor() : stored_(kSlots) {}

  [[gnu::always_inline]] void call(int i) {
    stored_[static_cast<std::size_t>(i) % kSlots] = __builtin_ia32_rdtsc();
    asm volatile("" ::: "memory");
  }

  // The fastest form of the loop: `count` calls, the address advanced instead of computed. Returns
  // the ticks taken.
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
  static constexpr std::size_t kSlots = 2048;  // of 8 bytes each
  std::vector<std::uint64_t> stored_;
};

}  // namespace ringside::perf
