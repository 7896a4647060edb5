#pragma once
// What the text's thread counts for the metrics.

#include <atomic>
#include <cstdint>

namespace ringside::consumer {

// Written by the text's thread, read by the poll loop.
struct TextFigures {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> lines{0};
  std::atomic<std::uint64_t> failures{0};          // writes, renames and removals that failed
  std::atomic<std::uint64_t> failing_services{0};  // whose text cannot be written now
};

}  // namespace ringside::consumer
