#include "perf/ringside/consumerd_process.hpp"

#include <unistd.h>

namespace ringside::perf {

ConsumerdProcess::ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir,
                                   int cpu) {
  if (shm_dir.empty() || output_dir.empty()) return;
  process_.emplace(Launch{.command = {CONSUMERD_PATH, "--shm-dir", shm_dir, "--output", output_dir,
                                      "--cpu", std::to_string(cpu)},
                          .output = STDERR_FILENO});  // standard output is for result lines
}

}  // namespace ringside::perf
