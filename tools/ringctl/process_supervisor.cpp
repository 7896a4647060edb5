#include "tools/ringctl/process_supervisor.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "tools/ringctl/running_process.hpp"

namespace ringside::tool {
namespace {

// Programs that restart their child, or end when it ends; names as in /proc/PID/comm.
constexpr std::array<std::string_view, 10> kSupervisors = {
    "catatonit", "conmon", "containerd-shim", "docker-init", "dumb-init",
    "ringrun",   "runsv",  "s6-supervise",    "supervisord", "tini"};

// The unit of which systemd has started this process, not one of its relatives: the environment is
// inherited by everything that a service starts.
std::string_view systemd_unit(const RunningProcess& process) {
  const std::string_view unit =
      std::string_view(process.cgroup).substr(process.cgroup.rfind('/') + 1);
  if (!unit.ends_with(".service")) return {};
  const std::string_view started = process.variable("SYSTEMD_EXEC_PID");
  if (!started.empty()) return started == std::to_string(process.pid) ? unit : std::string_view();
  // systemd before 248.
  const bool is_child = process.parent == 1 || process.parent_name == "systemd";
  return is_child && !process.variable("INVOCATION_ID").empty() ? unit : std::string_view();
}

}  // namespace

std::string supervisor_of(const RunningProcess& process) {
  if (const std::string_view unit = systemd_unit(process); !unit.empty()) {
    const bool is_users = process.cgroup.find("/user@") != std::string::npos;
    return fmt::format("it is the unit {0}; use: systemctl {1}restart {0}", unit,
                       is_users ? "--user " : "");
  }
  if (process.is_first) {
    return "it is the first process of its container, which ends with it; replace the container "
           "(kubectl rollout restart, or start it from the new image)";
  }
  if (!process.variable("NOTIFY_SOCKET").empty()) {
    return fmt::format(
        "a service manager waits for its messages (NOTIFY_SOCKET={}); restart it "
        "with that service manager",
        process.variable("NOTIFY_SOCKET"));
  }
  if (std::find(kSupervisors.begin(), kSupervisors.end(), process.parent_name) !=
      kSupervisors.end()) {
    return fmt::format("{} (process {}) has started it and acts when it ends; restart it with {}",
                       process.parent_name, process.parent, process.parent_name);
  }
  return {};
}

}  // namespace ringside::tool
