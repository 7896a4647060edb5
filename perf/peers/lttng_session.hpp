#pragma once
// Sessions of LTTng, made with its command line tool.

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "perf/peers/log_folder.hpp"

namespace ringside::perf {

// The session daemon: the one that runs, or else one of our own for as long as this lives. Its
// consumer runs where the daemon does.
class LttngDaemon {
 public:
  explicit LttngDaemon(int cpu);  // throws std::runtime_error
  ~LttngDaemon();
  LttngDaemon(const LttngDaemon&) = delete;
  LttngDaemon& operator=(const LttngDaemon&) = delete;

 private:
  pid_t pid_ = -1;  // of our own
};

// One session with all tracepoints of the provider ringside_perf, recording since construction.
// 4 sub-buffers of 1 MiB a processor; a full buffer blocks the caller, in processes that were
// started with LTTNG_UST_ALLOW_BLOCKING.
class LttngSession {
 public:
  LttngSession(std::string output, int cpu);  // throws std::runtime_error
  ~LttngSession();                            // destroys it; the trace stays
  LttngSession(const LttngSession&) = delete;
  LttngSession& operator=(const LttngSession&) = delete;

  // Waits until all is in the files. What counts is when full sub-buffers were there, and which
  // share of all they held: for the last one, which is not full, LTTng takes 200 ms whatever it
  // holds.
  Written stop();

  std::uint64_t lost() const { return lost_; }  // counted by stop()

 private:
  void run(const std::string& what, std::initializer_list<std::string> command) const;

  std::string output_;
  std::string name_;
  int cpu_;
  std::uint64_t lost_ = 0;
};

}  // namespace ringside::perf
