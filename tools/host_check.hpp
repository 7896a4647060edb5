#pragma once
// What of this machine or container helps or hinders tracing, each with its remedy.

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::tool {

enum class Verdict : std::uint8_t { kOk, kWarning, kFailure };

struct CheckResult {
  std::string name;  // "shared-memory size"
  Verdict verdict = Verdict::kOk;
  std::string found;
  std::string remedy;  // empty if there is nothing to do
};

const char* verdict_name(Verdict verdict);

// Where the kernel tells about itself; tests put other directories there.
struct HostPaths {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

// The shared-memory directory: there, writable, of memory, with room.
std::vector<CheckResult> check_shared_memory(const std::string& shm_dir);

// Clock, io_uring, huge pages, limits, processors.
std::vector<CheckResult> check_host(const HostPaths& paths);

}  // namespace ringside::tool
