#pragma once
// The sequence numbers that a writer gives to the events of each thread, and their place in its
// sequence points.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/interop/nettrace/nettrace_blocks.hpp"

namespace ringside::tool::nettrace {

class ThreadNumbers {
 public:
  // A reader treats a greater distance as an earlier number.
  static constexpr std::uint64_t kMostLostBetweenPoints = (std::uint64_t{1} << 31) - 1;

  bool knows(std::uint64_t thread) const { return threads_.contains(thread); }

  // The number of the thread's last event, 0 for a new thread. Valid until the next call.
  std::uint32_t& last_of(std::uint64_t thread) {
    if (last_ == nullptr || last_thread_ != thread) {
      Thread& found = threads_[thread];
      if (found.changed_before != points_) {
        found.changed_before = points_;
        changed_.push_back(thread);
      }
      last_ = &found.number;
      last_thread_ = thread;
    }
    return *last_;
  }

  // Appends the number of threads, and each thread with its number. With `only_changed`, or beyond
  // kMostThreadsOfPoint, appends only the threads requested since the previous point: the numbers
  // of the others have not changed, and a point with all threads for each loss would be longer than
  // the trace.
  void append_point(std::string& body, bool only_changed) {
    const auto append = [&body](std::uint64_t thread, std::uint32_t number) {
      append_number(body, thread);
      append_number(body, number);
    };
    if (only_changed || threads_.size() > kMostThreadsOfPoint) {
      append_number(body, static_cast<std::uint32_t>(changed_.size()));
      for (const std::uint64_t thread : changed_) append(thread, threads_[thread].number);
    } else {
      append_number(body, static_cast<std::uint32_t>(threads_.size()));
      for (const auto& [thread, state] : threads_) append(thread, state.number);
    }
    changed_.clear();
    ++points_;
    last_ = nullptr;
  }

 private:
  // 768 KiB, half of the data between two points.
  static constexpr std::size_t kMostThreadsOfPoint = std::size_t{1} << 16;

  struct Thread {
    std::uint32_t number = 0;
    std::uint64_t changed_before = 0;  // index of the point
  };

  std::unordered_map<std::uint64_t, Thread> threads_;
  std::vector<std::uint64_t> changed_;  // since the last point
  std::uint64_t points_ = 1;            // index of the next point
  std::uint64_t last_thread_ = 0;
  std::uint32_t* last_ = nullptr;
};

}  // namespace ringside::tool::nettrace
