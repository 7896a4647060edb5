#pragma once
// What the log was told already, so that it is not told again. Anybody may make names in the
// shared-memory directory, so neither what is remembered of them nor what is said grows with them.

#include <chrono>
#include <cstddef>
#include <set>
#include <string>

namespace ringside::consumer {

class SaidOnce {
 public:
  static constexpr std::size_t kMost = 500;  // in a minute

  // Whether `what` is to be said now.
  bool is_first(const std::string& what);
  // Whether that was the last thing for a minute, whatever comes.
  bool is_full() const { return said_.size() >= kMost; }
  // It is to be said again if it comes again.
  void forget(const std::string& what) { said_.erase(what); }

 private:
  std::set<std::string> said_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace ringside::consumer
