#pragma once
// consumerd as it is delivered, as a child process with default settings, on a processor of its
// own.

#include <string>

#include <sys/types.h>

namespace ringside::perf {

class ConsumerdProcess {
 public:
  // Empty directories are refused like anything else that keeps consumerd from running: see pid().
  ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir, int cpu);
  ~ConsumerdProcess();
  ConsumerdProcess(const ConsumerdProcess&) = delete;
  ConsumerdProcess& operator=(const ConsumerdProcess&) = delete;

  pid_t pid() const { return pid_; }  // below 0: none
  bool runs();
  // SIGTERM, and waits for the end. Exit status, or 128 + signal.
  int terminate();

 private:
  pid_t pid_ = -1;
  int status_ = -1;
};

}  // namespace ringside::perf
