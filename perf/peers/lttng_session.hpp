#pragma once
// LTTng sessions, controlled with its command line tool.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "perf/harness/child_process.hpp"
#include "perf/peers/log_folder.hpp"

namespace ringside::perf {

// The session daemon: the one that already runs; otherwise this starts one that ends with this
// object. Its consumer runs on the same processors as the daemon.
class LttngDaemon {
 public:
  explicit LttngDaemon(int cpu);  // throws std::runtime_error

 private:
  std::optional<ChildProcess> daemon_;  // if this object started it
};

// One session with all tracepoints of the provider ringside_perf, recording since construction. 4
// sub-buffers of 1 MiB per processor; a full buffer blocks the caller, in processes that were
// started with LTTNG_UST_ALLOW_BLOCKING.
class LttngSession {
 public:
  LttngSession(std::string output, int cpu);  // throws std::runtime_error
  ~LttngSession();                            // destroys the session; the trace stays
  LttngSession(const LttngSession&) = delete;
  LttngSession& operator=(const LttngSession&) = delete;

  // Waits until all records are in the files. Returns the time at which the full sub-buffers were
  // written, and their share of all records: the last sub-buffer is not full, and LTTng takes 200
  // ms to write it, whatever it contains.
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
