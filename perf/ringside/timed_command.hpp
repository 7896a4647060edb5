#pragma once
// What a whole command takes, from its start to its end.

#include <chrono>
#include <string>
#include <vector>

#include "perf/harness/child_process.hpp"

namespace ringside::perf {

struct CommandTime {
  int status = -1;  // as ChildProcess::wait()
  double wall_s = 0;
  double cpu_s = 0;  // processor time of all its threads
};

// The output is discarded. Errors go to the standard error of this process.
inline CommandTime time_command(const std::vector<std::string>& command) {
  const Descriptor nowhere = null_device();
  const auto from = std::chrono::steady_clock::now();
  ChildProcess process({.command = command, .output = nowhere.get()});
  const int status = process.wait();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - from;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const rusage& usage = process.usage();
  return {status, wall.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

}  // namespace ringside::perf
