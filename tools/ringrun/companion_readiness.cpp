#include "tools/ringrun/companion_readiness.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "shm-layout/segment_name.hpp"

namespace ringside::tool {
namespace {

bool has_name_with(const std::string& folder, std::string_view prefix) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

bool handles_signal(pid_t process, int signal) {
  constexpr std::string_view kCaught = "SigCgt:\t";
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kCaught)) continue;
    const std::uint64_t caught = std::strtoull(line.c_str() + kCaught.size(), nullptr, 16);
    return (caught >> (signal - 1) & 1) != 0;
  }
  return false;
}

bool is_consumer_ready(const std::string& shm_dir) {
  return has_name_with(shm_dir, shm::kStagingPrefix);
}

bool has_segments(const std::string& shm_dir) {
  return has_name_with(shm_dir, shm::kSegmentPrefix);
}

}  // namespace ringside::tool
