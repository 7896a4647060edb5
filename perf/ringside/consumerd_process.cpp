#include "perf/ringside/consumerd_process.hpp"

#include <unistd.h>
#include <utility>

namespace ringside::perf {

ConsumerdProcess::ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir,
                                   int cpu, const std::vector<std::string>& settings) {
  if (shm_dir.empty() || output_dir.empty()) return;
  std::vector<std::string> command = {
      CONSUMERD_PATH, "--shm-dir", shm_dir, "--output", output_dir, "--cpu", std::to_string(cpu)};
  command.insert(command.end(), settings.begin(), settings.end());
  process_.emplace(Launch{.command = std::move(command),
                          .output = STDERR_FILENO});  // standard output is for result lines
}

}  // namespace ringside::perf
