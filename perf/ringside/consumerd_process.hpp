#pragma once
// consumerd as delivered: a child process, pinned to a processor.

#include <optional>
#include <string>
#include <vector>

#include "perf/harness/child_process.hpp"

namespace ringside::perf {

// What it writes: traces into the output directory, text into text_directory() of it, or both.
enum class Outputs { trace, text, both };

inline std::string text_directory(const std::string& output_dir) {
  return output_dir + "/text";
}

class ConsumerdProcess {
 public:
  // An empty directory name fails like everything else that prevents consumerd from running: see
  // pid().
  // `settings`: further options, instead of the defaults.
  ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir, int cpu,
                   Outputs outputs = Outputs::trace, const std::vector<std::string>& settings = {});

  pid_t pid() const { return process_ ? process_->pid() : -1; }  // -1: not started
  bool runs() { return process_ && process_->runs(); }
  // Sends SIGTERM and waits for the end. Returns the exit status, or 128 + signal.
  int terminate() { return process_ ? process_->terminate() : -1; }

 private:
  std::optional<ChildProcess> process_;
};

}  // namespace ringside::perf
