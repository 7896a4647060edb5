#pragma once
// consumerd as delivered: a child process with default settings, pinned to a processor.

#include <string>

#include <sys/types.h>

namespace ringside::perf {

class ConsumerdProcess {
 public:
  // An empty directory name fails like everything else that prevents consumerd from running: see
  // pid().
  ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir, int cpu);
  ~ConsumerdProcess();
  ConsumerdProcess(const ConsumerdProcess&) = delete;
  ConsumerdProcess& operator=(const ConsumerdProcess&) = delete;

  pid_t pid() const { return pid_; }  // negative if consumerd is not running
  bool runs();
  // Sends SIGTERM and waits for the end. Returns the exit status, or 128 + signal.
  int terminate();

 private:
  pid_t pid_ = -1;
  int status_ = -1;
};

}  // namespace ringside::perf
