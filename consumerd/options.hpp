#pragma once
// The command line of consumerd.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/rotation.hpp"

namespace ringside::consumer {

enum class IoChoice { kAuto, kUring, kPwrite };

// Of the closed files of each service.
struct KeepPolicy {
  std::uint64_t files = 0;  // at most so many; 0: all
  std::uint64_t bytes = 0;  // at most so many; 0: any
  bool pack = false;

  bool asks_for_work() const { return files != 0 || bytes != 0 || pack; }
};

struct Options {
  std::string output_dir;  // absolute
  std::string shm_dir = "/dev/shm";
  std::vector<std::string> services;  // globs; empty: all
  IoChoice io = IoChoice::kAuto;
  RotationPolicy rotation;
  KeepPolicy keep;
  int cpu = -1;  // -1: wherever the kernel likes
  bool once = false;
  bool verbose = false;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitOwned = 3;  // another consumerd drains the same segments

// Empty if the process is to end at once with `*exit_code` (help, version, bad usage: said).
std::optional<Options> parse_options(int argc, char** argv, int* exit_code);

// Whether `service` is one of those that `options` name.
bool serves(const Options& options, const std::string& service);

}  // namespace ringside::consumer
