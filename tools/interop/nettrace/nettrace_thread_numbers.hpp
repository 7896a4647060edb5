#pragma once
// The sequence numbers that a writer gives to the events of each thread, and what its sequence
// points tell of them.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/interop/nettrace/nettrace_blocks.hpp"

namespace ringside::tool::nettrace {

class ThreadNumbers {
 public:
  // A reader takes a greater distance for a number that lies behind.
  static constexpr std::uint64_t kMostLostBetweenPoints = (std::uint64_t{1} << 31) - 1;

  bool knows(std::uint64_t thread) const { return threads_.contains(thread); }

  // The number of the thread's last event, 0 of a thread that is new. Good until the next call.
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

  // Appends how many threads there are, and each with its number. With `only_changed`, or beyond
  // kMostThreadsOfPoint, only those that were asked for since the point before: the others' numbers
  // stand there, and a point for each loss in a trace of many threads would be longer than the
  // trace.
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
  // 768 KiB, half of what stands between two points.
  static constexpr std::size_t kMostThreadsOfPoint = std::size_t{1} << 16;

  struct Thread {
    std::uint32_t number = 0;
    std::uint64_t changed_before = 0;  // which point
  };

  std::unordered_map<std::uint64_t, Thread> threads_;
  std::vector<std::uint64_t> changed_;  // since the last point
  std::uint64_t points_ = 1;            // the number of the next one
  std::uint64_t last_thread_ = 0;
  std::uint32_t* last_ = nullptr;
};

}  // namespace ringside::tool::nettrace
