// The state that all threads of the server share: the store, the counters for INFO, the stop
// request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libagent/examples/kvd/store.hpp"

namespace kvd {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline TimeMs to_time_ms(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Written by only one worker, on a separate cache line; INFO adds them up. Statistics, so relaxed.
struct alignas(64) WorkerCounters {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> protocol_errors{0};
};

inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  // A load and a store are enough for a single writer, and need no locked instruction.
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

struct ServerState {
  explicit ServerState(unsigned threads) : counters(threads) {}

  Store store;
  std::vector<WorkerCounters> counters;  // one for each worker
  std::atomic<std::size_t> clients{0};
  std::atomic<std::uint64_t> connections{0};  // accepted since the start
  Clock::time_point started = Clock::now();
  std::uint16_t port = 0;
  // An eventfd of the server's main loop; any thread may write to it to end the server.
  int stop_event = -1;
};

}  // namespace kvd
