#pragma once
// The real consumerd as a child process, with all its messages.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {

class ConsumerdProcess {
 public:
  // Runs consumerd, or `program` with the path of consumerd as its first argument. `error_fd`: its
  // standard error, instead of a file for error_output().
  explicit ConsumerdProcess(std::vector<std::string> arguments, const std::string& program = {},
                            int error_fd = -1);
  // Kills it with SIGKILL if it still runs.
  ~ConsumerdProcess();
  ConsumerdProcess(const ConsumerdProcess&) = delete;
  ConsumerdProcess& operator=(const ConsumerdProcess&) = delete;

  void signal(int number) const;
  // Waits until it ends. Returns the exit status, or 128 + the signal that killed it.
  int wait();
  int terminate();  // SIGTERM, then wait()
  bool runs();

  std::string error_output() const;
  // error_output(); under an emulator without the notices about system calls that it lacks
  // (packaging/aarch64/README.md).
  std::string reported_problems() const;
  std::string standard_output() const;
  pid_t pid() const { return pid_; }

 private:
  TemporaryDirectory output_;
  pid_t pid_ = -1;
  int status_ = -1;
};

// Whether `condition` became true before a deadline that only a hang reaches.
bool comes_true(const std::function<bool()>& condition);

std::size_t occurrences(const std::string& text, const std::string& part);

}  // namespace ringside::consumer_test
