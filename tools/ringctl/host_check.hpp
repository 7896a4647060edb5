#pragma once
// Checks properties of this machine or container that affect tracing, each with its remedy.

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::tool {

enum class Verdict : std::uint8_t { kOk, kWarning, kFailure };

struct CheckResult {
  std::string name;  // "shared-memory size"
  Verdict verdict = Verdict::kOk;
  std::string found;
  std::string remedy;  // empty if no action is needed
};

const char* verdict_name(Verdict verdict);

// Where the kernel provides its information; tests use other directories.
struct HostPaths {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

// The shared-memory directory: whether it exists, is writable, is in memory, and has room.
std::vector<CheckResult> check_shared_memory(const std::string& shm_dir);

// Clock, io_uring, huge pages, limits, processors.
std::vector<CheckResult> check_host(const HostPaths& paths);

}  // namespace ringside::tool
