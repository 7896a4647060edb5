#pragma once
// The program of a run: its start, its signals, its end.

#include <functional>

#include <sys/types.h>

#include "tools/ringrun/closed_streams.hpp"
#include "tools/ringrun/process_end.hpp"
#include "tools/ringrun/run_options.hpp"
#include "tools/ringrun/signal_inbox.hpp"

namespace ringside::tool {

class TracedProgram {
 public:
  // With this process's standard streams and signals, in its process group, so that the terminal
  // treats both as one job. The errno if it cannot be executed, else 0.
  int start(const RunOptions& options, const std::string& shm_dir, const ClosedStreams& closed,
            const SignalInbox& inbox);

  // Waits for the end of the program. Forwards signals to it, and stops this process when the
  // program has been stopped by the terminal. `child_ended` is called when some child may have
  // ended.
  ProcessEnd wait(const SignalInbox& inbox, const std::function<void()>& child_ended) const;

  pid_t pid() const { return pid_; }

 private:
  void forward(const signalfd_siginfo& signal) const;

  pid_t pid_ = -1;
};

}  // namespace ringside::tool
