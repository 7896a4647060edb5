#pragma once
// A program that answers a question: its output, its time and its memory on this side are bounded.

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <poll.h>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/files/owned_fd.hpp"

namespace ringside::tool {

struct CommandBounds {
  int timeout_ms = 60'000;
  std::size_t most_output_bytes = std::size_t{16} << 20;
  std::size_t most_error_bytes = std::size_t{8} << 10;
};

struct CommandResult {
  int status = -1;  // of the exit; -1: it was ended
  std::string output;
  std::string errors;
  bool is_cut = false;  // the output had more
  bool is_timed_out = false;
};

// A program that runs. When its output exceeds its bound, after its time, when this object is
// destroyed, and when the thread that started it ends or is killed, it is killed. Not thread-safe.
class BoundedCommand {
 public:
  // Without standard input. Null with `*why` if it cannot be started.
  static std::unique_ptr<BoundedCommand> start(const std::string& program,
                                               const std::vector<std::string>& arguments,
                                               const CommandBounds& bounds, std::string* why);
  ~BoundedCommand();
  BoundedCommand(const BoundedCommand&) = delete;
  BoundedCommand& operator=(const BoundedCommand&) = delete;

  // advance() has something to do when one of these is ready, or after so many milliseconds.
  std::array<pollfd, 2> streams() const;
  int wait_ms() const;

  // Takes what has arrived, without waiting. True when the program has ended: result() is complete.
  bool advance();
  CommandResult& result() { return result_; }

 private:
  using Clock = std::chrono::steady_clock;

  BoundedCommand(const CommandBounds& bounds, OwnedFd output, OwnedFd errors)
      : bounds_(bounds),
        deadline_(Clock::now() + std::chrono::milliseconds(bounds.timeout_ms)),
        output_(std::move(output)),
        errors_(std::move(errors)) {}
  void kill_now();

  const CommandBounds bounds_;
  const Clock::time_point deadline_;
  pid_t pid_ = -1;  // -1: it has ended
  OwnedFd output_;
  OwnedFd errors_;
  bool are_errors_cut_ = false;
  CommandResult result_;
};

// Waits until the program has ended. False with `*why` if it cannot be started.
bool run_bounded(const std::string& program, const std::vector<std::string>& arguments,
                 const CommandBounds& bounds, CommandResult& result, std::string* why);

}  // namespace ringside::tool
