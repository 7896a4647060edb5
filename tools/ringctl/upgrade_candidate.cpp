#include "tools/ringctl/upgrade_candidate.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/ringctl/process_supervisor.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionStart = "consumerd ";

// "user 1000" and the like differ between namespaces, and so do paths and pids.
bool shares_namespaces(pid_t pid) {
  for (const char* const kind : {"mnt", "pid", "user"}) {
    struct stat own {};
    struct stat other {};
    if (stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &own) != 0 ||
        stat(fmt::format("/proc/{}/ns/{}", pid, kind).c_str(), &other) != 0 ||
        own.st_ino != other.st_ino) {
      return false;
    }
  }
  return true;
}

bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

// The path by which the process was started, now: a link in it may lead to another release.
std::string path_of(const RunningProcess& process) {
  const std::string& word = process.arguments.front();
  if (word.find('/') != std::string::npos) {
    return (fs::path(process.directory_path) / word).lexically_normal();
  }
  std::string_view rest = process.variable("PATH");
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::string path = fs::path(process.directory_path) / rest.substr(0, colon) / word;
    if (is_program(path)) return path;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return process.image_path;
}

// The first line that a program printed, without its end.
std::string printed_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Empty with `*why` if it is not consumerd.
std::string version_of(const RunningProcess& model, const Executable& program,
                       std::chrono::nanoseconds timeout, std::string* why) {
  const ProgramRun run = run_like(model, program, {program.path, "--version"}, timeout);
  const std::string line = printed_line(run.output);
  if (run.failure.empty() && run.status == 0 && line.starts_with(kVersionStart)) {
    return line.substr(kVersionStart.size());
  }
  *why = program.path + " --version: ";
  if (!run.failure.empty()) {
    *why += run.failure;
  } else if (run.status != 0) {
    *why += fmt::format("exit status {}{}{}", run.status, line.empty() ? "" : ": ", line);
  } else {
    *why += "it is not consumerd; it printed \"" + line + "\"";
  }
  return {};
}

}  // namespace

std::optional<UpgradeCandidate> check_upgrade(pid_t pid, const std::string& program,
                                              std::chrono::nanoseconds timeout, std::string* why) {
  auto running = read_process(pid, why);
  if (!running) return {};
  UpgradeCandidate candidate;
  candidate.running = std::move(*running);
  const RunningProcess& process = candidate.running;
  candidate.streams = share_streams(process, &candidate.note);
  if (process.has_ended()) {
    *why = "it has ended meanwhile";
    return {};
  }
  if (const std::string owner = supervisor_of(process); !owner.empty()) {
    *why = owner;
    return {};
  }
  if (!shares_namespaces(pid)) {
    *why = "it runs in another container; run ringctl there, or restart the container";
    return {};
  }
  if (std::find(process.arguments.begin(), process.arguments.end(), "--once") !=
      process.arguments.end()) {
    *why = "it runs with --once and ends by itself";
    return {};
  }
  candidate.previous = {{process.image_path, process.image.get()}, process.arguments};
  candidate.next = {{program.empty() ? path_of(process) : program}, process.arguments};
  if (!program.empty()) candidate.next.arguments.front() = program;
  candidate.version = version_of(process, candidate.previous.executable, timeout, why);
  if (candidate.version.empty()) return {};
  candidate.next_version = version_of(process, candidate.next.executable, timeout, why);
  if (candidate.next_version.empty()) return {};
  std::vector<std::string> arguments = candidate.next.arguments;
  arguments.emplace_back("--check-config");
  const ProgramRun check = run_like(process, candidate.next.executable, arguments, timeout);
  if (!check.failure.empty() || check.status != 0) {
    *why = fmt::format("{} {} refuses the options or the configuration: {}",
                       candidate.next.executable.path, candidate.next_version,
                       check.failure.empty() ? printed_line(check.output) : check.failure);
    return {};
  }
  return candidate;
}

}  // namespace ringside::tool
