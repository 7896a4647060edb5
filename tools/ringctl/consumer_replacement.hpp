#pragma once
// A new process in the place of another one. It is prepared before the other one ends, and is a
// process of its own session from the beginning, so that it continues if this tool is killed.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tools/files/owned_fd.hpp"
#include "tools/ringctl/process_twin.hpp"

namespace ringside::tool {

struct Program {
  Executable executable;
  std::vector<std::string> arguments;
};

class ConsumerReplacement {
 public:
  // Prepares a process that waits for go(). `predecessor` is a pidfd, or -1 if there is nothing to
  // end. If `program` cannot be executed, it executes `otherwise`. Null with `*why`: then nothing
  // has changed.
  static std::unique_ptr<ConsumerReplacement> prepare(const RunningProcess& model,
                                                      const StandardStreams& streams,
                                                      int predecessor, const Program& program,
                                                      const Program& otherwise, std::string* why);
  ConsumerReplacement(const ConsumerReplacement&) = delete;
  ConsumerReplacement& operator=(const ConsumerReplacement&) = delete;
  // A process that does not go ahead yet ends; any other one continues.
  ~ConsumerReplacement();

  // The process ends the predecessor with SIGTERM, waits for its end, and executes the program.
  bool go();

  pid_t pid() const { return pid_; }
  // Waits until it executes a program. False with `*why` after the deadline. `*why` is also set if
  // that is the other program, because the first one cannot be executed.
  bool wait_for_execution(std::chrono::steady_clock::time_point deadline, std::string* why);
  // Whether the process has ended; then `*how` has its end.
  bool has_ended(std::string* how);
  // SIGTERM, after some seconds SIGKILL, which loses nothing (consumerd/README.md).
  void end();

 private:
  ConsumerReplacement() = default;

  pid_t pid_ = -1;
  OwnedFd go_;      // written to: go ahead; closed: end
  OwnedFd report_;  // what the process reports; its end is the execution
  bool gone_ahead_ = false;
  bool ended_ = false;
  std::string end_;
};

}  // namespace ringside::tool
