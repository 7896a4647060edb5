#pragma once
// The library's messages on the service's standard error: never under a lock, and never with a wait
// or a signal.

#include <array>
#include <cstddef>
#include <string_view>

namespace ringside {

// A pipe that accepts anything accepts this much at once; it takes little of a signal handler's
// stack.
inline constexpr std::size_t kMostReportBytes = 2048;

// Lines that wait for the release of the lock under which they were reported. No allocation.
class Reports {
 public:
  // One line "ringside: TEXT". Text that does not fit is left out.
  void add(std::string_view text);
  bool empty() const { return bytes_ == 0; }
  std::string_view text() const { return {text_.data(), bytes_}; }
  void clear() { bytes_ = 0; }

 private:
  void append(std::string_view text);

  std::array<char, kMostReportBytes> text_{};
  std::size_t bytes_ = 0;
};

// The reports of this process. Slow-path lock held.
Reports& unwritten_reports();

// Adds to them. Lock held; SlowPathLock writes them after releasing the lock.
void report(std::string_view text);

// Writes `text` if standard error accepts it now. Otherwise it is dropped: the pipe is full or has
// no reader, the terminal is stopped, the disk is full, or the descriptor refers to something else
// by now.
void write_to_standard_error(std::string_view text);

}  // namespace ringside
