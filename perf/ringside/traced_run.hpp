#pragma once
// The setup for a measurement of Ringside: this process traced into a separate shared-memory
// directory, consumerd on another processor, and the check that no record was lost.

#include <memory>
#include <string>
#include <vector>

#include <ringside/ringside.hpp>

#include "perf/harness/processors.hpp"
#include "perf/ringside/consumerd_process.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace ringside::perf {

class TracedRun {
 public:
  // Traces go below `output_parent`. Pins the calling thread, which then has its ring.
  // Process-wide: at most one per process, because the library is initialised once.
  // `settings`: options of consumerd, instead of its defaults.
  explicit TracedRun(const std::string& output_parent = "/dev/shm", Options options = {},
                     Outputs outputs = Outputs::trace,
                     const std::vector<std::string>& settings = {});
  ~TracedRun();

  // kExitOk, or the reason why measuring is impossible (reported on standard error).
  int ready() const { return ready_; }

  // Waits until everything is in the file, and ends consumerd. kExitOk if no record was dropped or
  // refused; otherwise kExitDoesNotCount, with the reason on standard error.
  int finish();

  pid_t consumerd_pid() const { return consumerd_->pid(); }
  const std::string& output_dir() const { return output_.path(); }
  const std::string& shm_dir() const { return shm_.path(); }
  const Processors& processors() const { return processors_; }

 private:
  int start(Options options, Outputs outputs, const std::vector<std::string>& settings);

  TemporaryDirectory shm_;
  TemporaryDirectory output_;
  Processors processors_;
  std::unique_ptr<ConsumerdProcess> consumerd_;
  int ready_;
};

}  // namespace ringside::perf
