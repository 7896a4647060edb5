#pragma once
// The consumerd and the ringcat of a run.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/ringrun/private_directories.hpp"
#include "tools/ringrun/process_end.hpp"
#include "tools/ringrun/run_options.hpp"
#include "tools/ringrun/signal_inbox.hpp"

namespace ringside::tool {

class TracingProcesses {
 public:
  // Refers to the arguments. `lease` is that of DirectoryCleaner.
  TracingProcesses(const PrivateDirectories& directories, const SignalInbox& inbox, int lease)
      : directories_(directories), inbox_(inbox), lease_(lease) {}
  TracingProcesses(const TracingProcesses&) = delete;
  TracingProcesses& operator=(const TracingProcesses&) = delete;

  // Starts both. Without `prints`, no ringcat: there is nowhere to print. False if that is
  // impossible, which is reported.
  bool start(const RunOptions& options, bool prints);

  // Waits until both work: from then on no record is missed. False if one ends, which is reported,
  // or if a signal asks this process to end.
  bool wait_until_ready();

  // After SIGCHLD: reports those that ended too early.
  void check();

  // The program has ended: waits until all its records are written and printed, and both have
  // ended. A signal that asks to end shortens that.
  void finish();

  // Kills both, and waits for their end.
  void kill_all();

 private:
  struct Companion {
    std::string name;
    pid_t pid = -1;
    std::optional<ProcessEnd> end = {};

    bool runs() const { return pid > 0 && !end; }
  };

  bool start_companion(Companion& companion, const std::vector<std::string>& words, int output);
  std::vector<std::string> consumer_words(bool once) const;
  bool has_failed(Companion& companion);
  void wait_for_end(Companion& companion);
  void take_end_signals(Companion& awaited);
  static void update(Companion& companion);
  void drain_rest();

  const PrivateDirectories& directories_;
  const SignalInbox& inbox_;
  const int lease_;
  Companion consumer_{"consumerd"};
  Companion printer_{"ringcat"};
  bool is_hurried_ = false;  // by a signal
  std::chrono::steady_clock::time_point finishing_since_{};
};

}  // namespace ringside::tool
