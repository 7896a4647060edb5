#include "perf/ringside/consumerd_process.hpp"

#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ringside::perf {

ConsumerdProcess::ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir,
                                   int cpu, Outputs outputs,
                                   const std::vector<std::string>& settings) {
  if (shm_dir.empty() || output_dir.empty()) return;
  std::vector<std::string> command{CONSUMERD_PATH, "--shm-dir", shm_dir, "--cpu",
                                   std::to_string(cpu)};
  if (outputs != Outputs::text) command.insert(command.end(), {"--output", output_dir});
  if (outputs != Outputs::trace) {
    const std::string text = text_directory(output_dir);
    std::error_code failed;
    if (!std::filesystem::create_directory(text, failed)) return;
    command.insert(command.end(), {"--text", text});
  }
  command.insert(command.end(), settings.begin(), settings.end());
  process_.emplace(Launch{.command = std::move(command),
                          .output = STDERR_FILENO});  // standard output is for result lines
}

}  // namespace ringside::perf
