#include "tools/scheduling/perf_refusal.hpp"

#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

std::optional<int> setting(const char* name) {
  std::ifstream file(fmt::format("/proc/sys/kernel/{}", name));
  int value = 0;
  if (file >> value) return value;
  return {};
}

std::string permission_refusal(pid_t pid, int error) {
  // Values above 2 are those of Debian and Android: they require the capability.
  const auto paranoid = setting("perf_event_paranoid");
  const std::string remedy =
      "run ringctl as root, or give it the capability CAP_PERFMON (setcap cap_perfmon+ep)";
  if (paranoid.has_value() && *paranoid > 2) {
    return fmt::format(
        "the kernel lets only privileged users record context switches: "
        "/proc/sys/kernel/perf_event_paranoid is {}; {}, or set it to 2",
        *paranoid, remedy);
  }
  if (error == EACCES) {
    return fmt::format(
        "no permission to record the threads of process {}: it belongs to another user, or has "
        "more privileges; run ringctl as its user, or as root",
        pid);
  }
  return fmt::format(
      "the kernel or a seccomp filter forbids perf_event_open ({}); in a container, use a seccomp "
      "profile that permits it, or run ringctl outside; {}",
      std::generic_category().message(error), remedy);
}

}  // namespace

std::string open_refusal(pid_t pid, int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return permission_refusal(pid, error);
    case EMFILE:
      return "too few file descriptors: an event needs one for each thread on each processor; "
             "raise "
             "the hard limit (ulimit -Hn)";
    case ENFILE:
      return "the system has no file descriptors left; raise /proc/sys/fs/file-max";
    case ENOSYS:
    case ENOENT:
    case EOPNOTSUPP:
      return "this kernel has no perf events (perf_event_open, CONFIG_PERF_EVENTS)";
    case EINVAL:
      return "this kernel cannot record context switches; Linux 4.3 or later is required";
    default:
      return fmt::format("perf_event_open for process {}: {}", pid,
                         std::generic_category().message(error));
  }
}

std::string ring_refusal(int error) {
  if (error != EPERM && error != ENOMEM) {
    return fmt::format("cannot map a ring of perf events: {}",
                       std::generic_category().message(error));
  }
  const auto limit = setting("perf_event_mlock_kb");
  return fmt::format(
      "too little memory that perf events may lock: /proc/sys/kernel/perf_event_mlock_kb is {}; "
      "end other recordings, or raise it or the limit of locked memory (ulimit -l)",
      limit.has_value() ? std::to_string(*limit) : "unknown");
}

}  // namespace ringside::tool
