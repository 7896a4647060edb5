#pragma once
// SIGINT and SIGTERM as something to wait for.

#include <csignal>

#include "tools/interop/socket.hpp"

namespace ringside::tool {

// While this object lives, the signals only make fd() readable. From its destruction on, a further
// signal does not end the process, which still has to write what it has received: it prints a
// sentence on standard error.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return socket_.fd(); }

 private:
  sigset_t before_{};
  Socket socket_{-1};
};

}  // namespace ringside::tool
