#pragma once
// Shows the progress of long work on standard error, if it is a terminal.

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace ringside::tool {

// Shows nothing in the first second, or if standard error is not a terminal. Not thread-safe.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  // What the command writes to standard output while it reads.
  enum class Output : std::uint8_t {
    kRecords,  // if that is a terminal, they show the progress, and a bar would disturb them
    kNothing,
  };

  // `paths` as for TraceSet::open(): their total size is the whole work. `command_start`: when the
  // user's wait began; files of other formats were imported since.
  ProgressBar(std::span<const std::string> paths, Clock::time_point command_start, Output output);
  ~ProgressBar();  // removes the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Whether show() can show anything.
  bool is_shown() const { return shows_; }

  // `bytes_read` as in ReadReport. May be called for every event: it reads the clock only
  // occasionally.
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

// The line: "[######------] 50 %, 1.5 of 3.0 GB, 7 s left". `fraction` of the work took `elapsed`.
std::string progress_text(double fraction, std::uint64_t total_bytes,
                          std::chrono::duration<double> elapsed);

}  // namespace ringside::tool
