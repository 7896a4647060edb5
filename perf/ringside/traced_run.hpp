#pragma once
// What a measurement of Ringside needs around it: this process traced into a shared-memory
// directory of its own, consumerd on another processor, and the proof that nothing was lost.

#include <memory>
#include <string>

#include <ringside/ringside.hpp>

#include "perf/harness/processors.hpp"
#include "perf/ringside/consumerd_process.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace ringside::perf {

class TracedRun {
 public:
  // Traces go below `output_parent`. The calling thread is pinned, and has its ring. Process-wide:
  // at most one in the life of a process, as the library is initialised once.
  explicit TracedRun(const std::string& output_parent = "/dev/shm", Options options = {});
  ~TracedRun();

  // kExitOk, or why there is nothing to measure (said on standard error).
  int ready() const { return ready_; }

  // Waits until everything is in the file, and ends consumerd. kExitOk if no record was dropped or
  // refused; otherwise kExitDoesNotCount, said on standard error.
  int finish();

  pid_t consumerd_pid() const { return consumerd_->pid(); }
  const std::string& output_dir() const { return output_.path(); }
  const std::string& shm_dir() const { return shm_.path(); }
  const Processors& processors() const { return processors_; }

 private:
  int start(Options options);

  TemporaryDirectory shm_;
  TemporaryDirectory output_;
  Processors processors_;
  std::unique_ptr<ConsumerdProcess> consumerd_;
  int ready_;
};

}  // namespace ringside::perf
