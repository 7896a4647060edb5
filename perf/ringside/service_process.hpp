#pragma once
// A service in a separate process whose threads have logged and are now idle.

#include <string>

#include <ringside/ringside.hpp>
#include <sys/types.h>

namespace ringside::perf {

class ServiceProcess {
 public:
  struct Plan {
    int threads = 1;
    int records = 1;     // per thread
    bool traced = true;  // false: RINGSIDE_DISABLE=1
    Options options;     // of the library
  };

  // Returns when all threads have logged. The caller must have no other threads.
  explicit ServiceProcess(const Plan& plan);
  // Ends it.
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  // False if the service is not running, or if a record was dropped or refused.
  bool ready() const { return ready_; }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int keep_alive_ = -1;  // the process ends when this is closed
  bool ready_ = false;
};

}  // namespace ringside::perf
