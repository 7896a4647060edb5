#pragma once
// Remembers messages, so that each is logged once. Any user can create names in the shared-memory
// directory, so memory and log output must not grow with their number.

#include <chrono>
#include <cstddef>
#include <set>
#include <string>

namespace ringside::consumer {

class LogOnce {
 public:
  static constexpr std::size_t kMost = 500;  // per minute

  // Whether `what` should be logged now.
  bool is_first(const std::string& what);
  // Whether the limit is reached: nothing more is logged until the minute is over.
  bool is_full() const { return logged_.size() >= kMost; }
  // Log it again if it occurs again.
  void forget(const std::string& what) { logged_.erase(what); }

 private:
  std::set<std::string> logged_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace ringside::consumer
