#pragma once
// How far long work has come, on a terminal's standard error.

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace ringside::tool {

// Nothing shows before a second has passed, where standard error is no terminal, or where standard
// output is one too: there the output itself tells. Not thread-safe.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  // `paths` as TraceSet::open() takes them: their sizes are the whole work. `command_start`: since
  // when the user waits; files of other formats have been imported meanwhile.
  ProgressBar(std::span<const std::string> paths, Clock::time_point command_start);
  ~ProgressBar();  // takes the line away
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Whether show() may ever show something.
  bool is_shown() const { return shows_; }

  // `bytes_read` as in ReadReport. For every event, say: it looks at the clock but now and then.
  void show(std::uint64_t bytes_read) {
    if (shows_ && --calls_left_ == 0) look(bytes_read);
  }

 private:
  static constexpr std::uint32_t kCallsPerLook = 4096;

  void look(std::uint64_t bytes_read);

  bool shows_;
  bool drawn_ = false;
  std::uint32_t calls_left_ = kCallsPerLook;
  std::uint64_t total_bytes_ = 0;
  Clock::time_point start_;
  Clock::time_point next_;
};

// The line: "[######------]  50 %, 1.5 of 3.0 GB, 7 s left". `fraction` of the work took `elapsed`.
std::string progress_text(double fraction, std::uint64_t total_bytes,
                          std::chrono::duration<double> elapsed);

}  // namespace ringside::tool
