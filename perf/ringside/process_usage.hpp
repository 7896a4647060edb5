#pragma once
// Resource usage of another process, as the kernel reports it.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <sys/types.h>

namespace ringside::perf {

// Processor time of the process's first thread in nanoseconds, user and kernel together; 0 if
// unknown. consumerd has one thread (kernel threads of io_uring, if any, are not included).
inline std::uint64_t cpu_ns(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/schedstat");
  std::uint64_t ns = 0;
  in >> ns;
  return ns;
}

// The same of all its threads that have not ended, with those of the kernel that work for it.
inline std::uint64_t all_threads_cpu_ns(pid_t pid) {
  std::error_code ended;
  std::uint64_t sum = 0;
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(folder, ended)) {
    std::ifstream in(task.path() / "schedstat");
    std::uint64_t ns = 0;
    if (in >> ns) sum += ns;
  }
  return sum;
}

// How often all threads of the process together have waited for something, and so woken up.
inline std::uint64_t wake_ups(pid_t pid) {
  std::uint64_t sum = 0;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream in(task.path() / "status");
    for (std::string word; in >> word;) {
      std::uint64_t count = 0;
      if (word == "voluntary_ctxt_switches:" && in >> count) sum += count;
    }
  }
  return sum;
}

struct MemoryUsage {
  double rss_kib = 0;  // mapped pages; a page that is mapped twice counts twice
  double pss_kib = 0;  // each page divided among its mappings
};

inline MemoryUsage memory_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/smaps_rollup");
  MemoryUsage usage;
  std::string word;
  while (in >> word) {
    if (word == "Rss:") in >> usage.rss_kib;
    if (word == "Pss:") in >> usage.pss_kib;
  }
  return usage;
}

}  // namespace ringside::perf
