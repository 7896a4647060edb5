#include "tools/ringctl/host_check.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sched.h>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;
// Room for a segment without threads, and a few threads with the default ring.
constexpr std::uint64_t kLeastFreeBytes = 16 * kMiB;
// Room for consumerd's complete staging file, and some dozens of threads.
constexpr std::uint64_t kGoodFreeBytes = 96 * kMiB;
constexpr rlim_t kLeastFiles = 1024;

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return {};
  return line;
}

CheckResult check_clock_source(const HostPaths& paths) {
  const std::string path =
      paths.sys + "/devices/system/clocksource/clocksource0/current_clocksource";
  const auto source = first_line(path);
  if (!source) {
    return {"clock source", Verdict::kWarning, "cannot read " + path,
            "mount /sys in the container"};
  }
  if (*source == "tsc" || *source == "arch_sys_counter") {
    return {"clock source", Verdict::kOk, *source, ""};
  }
  return {"clock source", Verdict::kWarning,
          *source + ": the kernel does not trust the processor's time stamp counter",
          "times in traces can drift or differ between processors; dmesg has the reason; boot with "
          "tsc=reliable if the counter is reliable"};
}

#if defined(__x86_64__)
// The counter of AArch64 has these properties by definition.
CheckResult check_counter(const HostPaths& paths) {
  std::ifstream file(paths.proc + "/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags")) continue;
    const bool constant = line.find(" constant_tsc") != std::string::npos;
    const bool nonstop = line.find(" nonstop_tsc") != std::string::npos;
    if (constant && nonstop) {
      return {"time stamp counter", Verdict::kOk, "constant, continues in sleep states", ""};
    }
    return {"time stamp counter", Verdict::kWarning,
            fmt::format("{}{}{}", constant ? "" : "its rate can change (no constant_tsc)",
                        constant || nonstop ? "" : "; ",
                        nonstop ? "" : "it can stop in deep sleep (no nonstop_tsc)"),
            "times can be wrong when the processor sleeps or changes its frequency; in a virtual "
            "machine, configure the host to expose these flags"};
  }
  return {"time stamp counter", Verdict::kWarning,
          "no processor flags in " + paths.proc + "/cpuinfo", "mount /proc in the container"};
}
#endif

// Creates a ring with one entry, and closes it again.
CheckResult check_io_uring(const HostPaths& paths) {
  io_uring_params params{};
  const long fd = syscall(__NR_io_uring_setup, 1U, &params);
  if (fd >= 0) {
    close(static_cast<int>(fd));
    return {"io_uring", Verdict::kOk, "available", ""};
  }
  const int error = errno;
  const auto disabled = first_line(paths.proc + "/sys/kernel/io_uring_disabled");
  std::string remedy =
      "consumerd uses pwrite instead, which takes more processor time; to use io_uring: ";
  if (disabled && *disabled != "0") {
    remedy += "sysctl kernel.io_uring_disabled=0";
  } else if (error == ENOSYS) {
    remedy += "use a kernel of version 5.13 or newer";
  } else if (error == ENOMEM) {
    remedy += "raise the limit of locked memory (ulimit -l)";
  } else {
    remedy += "allow it in the container's seccomp profile";
  }
  return {"io_uring", Verdict::kWarning, error_text(error), remedy};
}

CheckResult check_huge_pages(const HostPaths& paths) {
  const std::string path = paths.sys + "/kernel/mm/transparent_hugepage/shmem_enabled";
  const auto line = first_line(path);
  if (!line) return {"huge pages", Verdict::kOk, "not supported by this kernel; not needed", ""};
  const auto begin = line->find('[');
  const auto end = line->find(']');
  const bool found = begin != std::string::npos && end != std::string::npos && end > begin;
  return {"huge pages", Verdict::kOk,
          "for shared memory: " + (found ? line->substr(begin + 1, end - begin - 1) : *line), ""};
}

CheckResult check_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return {"open files", Verdict::kWarning, error_text(errno), ""};
  }
  if (limit.rlim_max >= kLeastFiles) {
    return {"open files", Verdict::kOk, fmt::format("at most {}", limit.rlim_max), ""};
  }
  return {"open files", Verdict::kWarning, fmt::format("at most {}", limit.rlim_max),
          "consumerd needs two per service; raise the hard limit (ulimit -Hn, LimitNOFILE= of its "
          "unit)"};
}

CheckResult check_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  if (count >= 2) return {"processors", Verdict::kOk, fmt::format("{}", count), ""};
  return {"processors", Verdict::kWarning, fmt::format("{}", count),
          "consumerd shares one processor with the services; enlarge their rings "
          "(RINGSIDE_RING_BYTES) or add a processor"};
}

CheckResult check_inotify(const HostPaths& paths) {
  const std::string path = paths.proc + "/sys/fs/inotify/max_user_instances";
  const auto line = first_line(path);
  if (!line) return {"inotify", Verdict::kWarning, "cannot read " + path, "mount /proc"};
  if (*line != "0") return {"inotify", Verdict::kOk, *line + " instances per user", ""};
  return {"inotify", Verdict::kFailure, "none", "sysctl fs.inotify.max_user_instances=128"};
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kFailure:
      return "failure";
  }
  return "?";
}

std::vector<CheckResult> check_shared_memory(const std::string& shm_dir) {
  std::vector<CheckResult> results;
  struct statfs system {};
  if (statfs(shm_dir.c_str(), &system) != 0) {
    return {{"shared memory", Verdict::kFailure, shm_dir + ": " + error_text(errno),
             "mount a tmpfs there, or use another directory (RINGSIDE_SHM_DIR, --shm-dir)"}};
  }
  const bool memory = system.f_type == TMPFS_MAGIC || system.f_type == HUGETLBFS_MAGIC ||
                      system.f_type == RAMFS_MAGIC;
  results.push_back({"shared memory", memory ? Verdict::kOk : Verdict::kWarning,
                     shm_dir + (memory ? " is in memory" : " is not a file system in memory"),
                     memory ? "" : "rings are written to a disk from time to time; use a tmpfs"});
  if (access(shm_dir.c_str(), R_OK | W_OK | X_OK) != 0) {
    results.push_back({"permission", Verdict::kFailure, shm_dir + ": " + error_text(errno),
                       "services and consumerd create files there; run them as a user with write "
                       "permission, or change its mode (1777, as /dev/shm)"});
  } else {
    results.push_back({"permission", Verdict::kOk, shm_dir + " is writable", ""});
  }
  const std::uint64_t block = static_cast<std::uint64_t>(system.f_bsize);
  const std::uint64_t free = block * system.f_bavail;
  const std::uint64_t size = block * system.f_blocks;
  CheckResult room{"room", Verdict::kOk,
                   fmt::format("{} MiB of {} MiB free", free / kMiB, size / kMiB), ""};
  if (size == 0) {
    room.found = "no limit";
  } else if (free < kGoodFreeBytes) {
    room.verdict = free < kLeastFreeBytes ? Verdict::kFailure : Verdict::kWarning;
    room.remedy = fmt::format(
        "a service needs 8 MiB and 1 MiB per thread, consumerd up to 31 MiB; enlarge it: mount -o "
        "remount,size=1G {}, in a container --shm-size 1g",
        shm_dir);
  }
  results.push_back(std::move(room));
  return results;
}

std::vector<CheckResult> check_host(const HostPaths& paths) {
  std::vector<CheckResult> results;
#if defined(__x86_64__)
  results.push_back(check_counter(paths));
#endif
  results.push_back(check_clock_source(paths));
  results.push_back(check_io_uring(paths));
  results.push_back(check_huge_pages(paths));
  results.push_back(check_inotify(paths));
  results.push_back(check_files());
  results.push_back(check_processors());
  return results;
}

}  // namespace ringside::tool
