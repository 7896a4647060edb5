#pragma once
// When threads ran, from their switches.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "tools/scheduling/switch_record.hpp"

namespace ringside::tool {

enum class RunEnd : std::uint8_t {
  kUnknown,    // the recording ended first, or records were lost
  kWaited,     // the thread waited for something
  kPreempted,  // another one got the processor
  kEnded,      // the thread ended
};

// A thread had a processor from the one time until the other.
struct ThreadRun {
  std::uint32_t thread_id = 0;
  std::uint32_t processor = 0;
  std::uint64_t begin_unix_ns = 0;
  std::uint64_t end_unix_ns = 0;
  RunEnd end = RunEnd::kUnknown;
};

// Takes switches by time; calls `use` at the end of each run, so ends are by time for each thread.
// What happened before a thread's first switch follows from that: a thread that releases a
// processor has had it since its recording began. Not thread-safe.
class ThreadRuns {
 public:
  explicit ThreadRuns(std::function<void(const ThreadRun&)> use) : use_(std::move(use)) {}

  // Of threads that exist at the beginning.
  void add_thread(std::uint32_t thread_id, std::uint64_t since_unix_ns) {
    threads_[thread_id] = {.state = State::kUnknown, .since_ns = since_unix_ns};
  }
  void add(const SwitchRecord& record);
  // What runs at the end ran until then.
  void finish(std::uint64_t unix_ns);

  // Whether the thread had no switch: it ran all the time, or not at all.
  bool is_unknown(std::uint32_t thread_id) const {
    const auto found = threads_.find(thread_id);
    return found != threads_.end() && found->second.state == State::kUnknown;
  }

 private:
  enum class State : std::uint8_t { kUnknown, kRuns, kWaits };
  struct Thread {
    State state = State::kUnknown;
    std::uint64_t since_ns = 0;  // of the state
    std::uint32_t processor = 0;
  };
  void release(std::uint32_t thread_id, const SwitchRecord& record, RunEnd end);

  std::function<void(const ThreadRun&)> use_;
  std::map<std::uint32_t, Thread> threads_;
};

}  // namespace ringside::tool
