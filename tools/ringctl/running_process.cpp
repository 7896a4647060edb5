#include "tools/ringctl/running_process.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/syscall.h>

#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kDeleted = " (deleted)";  // after the path of a file without a name

// Of a file in /proc/PID; empty if it cannot be read.
std::string contents(pid_t pid, const char* name) {
  std::ifstream file(fmt::format("/proc/{}/{}", pid, name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> zero_terminated(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// What a link of /proc/PID refers to; empty if this user may not know it.
std::string target(pid_t pid, const char* name) {
  std::array<char, 4096> text{};
  const ssize_t length =
      readlink(fmt::format("/proc/{}/{}", pid, name).c_str(), text.data(), text.size());
  return length < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(length));
}

OwnedFd open_link(pid_t pid, const char* name) {
  return OwnedFd(open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_PATH | O_CLOEXEC));
}

std::string name_of(pid_t pid) {
  std::string name = contents(pid, "comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

// The numbers after "NAME:" in /proc/PID/status.
std::vector<unsigned> numbers(const std::string& status, const std::string& name, int base = 10) {
  std::vector<unsigned> found;
  const std::size_t at = status.find("\n" + name + ":");
  if (at == std::string::npos) return found;
  std::istringstream words(
      status.substr(at + name.size() + 2, status.find('\n', at + 1) - at - name.size() - 2));
  for (std::string word; words >> word;) {
    unsigned value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value, base);
    found.push_back(value);
  }
  return found;
}

// The path after the last line of /proc/PID/cgroup that systemd maintains.
std::string systemd_cgroup(pid_t pid) {
  std::istringstream lines(contents(pid, "cgroup"));
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view start : {"0::", "1:name=systemd:"}) {
      if (line.starts_with(start) && line.size() > start.size() + 1) {
        found = line.substr(start.size());
      }
    }
  }
  return found;
}

std::vector<std::pair<int, rlimit>> limits_of(pid_t pid) {
  std::vector<std::pair<int, rlimit>> limits;
  for (int resource = 0; resource < static_cast<int>(RLIM_NLIMITS); ++resource) {
    rlimit limit{};
    if (prlimit(pid, static_cast<__rlimit_resource>(resource), nullptr, &limit) == 0) {
      limits.emplace_back(resource, limit);
    }
  }
  return limits;
}

void read_status(RunningProcess& process) {
  const std::string status = contents(process.pid, "status");
  const auto first = [&status](const std::string& name, int base = 10) {
    const std::vector<unsigned> all = numbers(status, name, base);
    return all.empty() ? 0U : all.front();
  };
  process.uid = first("Uid");
  process.gid = first("Gid");
  process.umask = static_cast<mode_t>(first("Umask", 8));
  process.parent = static_cast<pid_t>(first("PPid"));
  for (const unsigned group : numbers(status, "Groups")) process.groups.push_back(group);
  const std::vector<unsigned> pids = numbers(status, "NSpid");
  process.is_first = process.pid == 1 || (!pids.empty() && pids.back() == 1);
}

}  // namespace

std::string_view RunningProcess::variable(std::string_view name) const {
  for (const std::string& one : environment) {
    const std::string_view line = one;
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=') {
      return line.substr(name.size() + 1);
    }
  }
  return {};
}

bool RunningProcess::has_ended() const {
  pollfd ended{handle.get(), POLLIN, 0};
  return poll(&ended, 1, 0) > 0;
}

std::optional<RunningProcess> read_process(pid_t pid, std::string* why) {
  RunningProcess process;
  process.pid = pid;
  process.handle = OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.handle) {
    *why = fmt::format("cannot watch process {}: {}", pid, error_text(errno));
    return {};
  }
  process.image = open_link(pid, "exe");
  if (!process.image) {
    *why = fmt::format("cannot read /proc/{}/exe: {}", pid, error_text(errno));
    return {};
  }
  process.image_path = target(pid, "exe");
  if (process.image_path.ends_with(kDeleted)) {
    process.image_path.resize(process.image_path.size() - kDeleted.size());
  }
  process.directory = open_link(pid, "cwd");
  process.directory_path = target(pid, "cwd");
  process.arguments = zero_terminated(contents(pid, "cmdline"));
  process.environment = zero_terminated(contents(pid, "environ"));
  read_status(process);
  process.parent_name = name_of(process.parent);
  process.cgroup = systemd_cgroup(pid);
  process.limits = limits_of(pid);
  errno = 0;
  process.priority = getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
  if (!process.directory || process.arguments.empty() || process.has_ended()) {
    *why = fmt::format("process {} has ended, or cannot be read", pid);
    return {};
  }
  return process;
}

}  // namespace ringside::tool
