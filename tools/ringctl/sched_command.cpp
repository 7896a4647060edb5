#include "tools/ringctl/sched_command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "tools/files/owned_fd.hpp"
#include "tools/live/segment_image.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/ringctl/trace_directory.hpp"
#include "tools/ringctl/traced_process.hpp"
#include "tools/scheduling/schedule_recording.hpp"
#include "tools/text/duration.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

struct Recorded {
  std::string service;
  std::uint32_t pid = 0;  // of the trace
  pid_t process = 0;      // the same, as ringctl sees it
  std::string path;       // of the trace file to be
  OwnedFd lock;           // no other recording of this process runs
  std::unique_ptr<ScheduleRecording> recording;
  std::optional<std::chrono::nanoseconds> ended_after;
};

// A name of consumerd's form (trace-format/README.md), so that its --keep-bytes and --keep-for hold
// for it.
std::string trace_file_name(const std::string& service, std::uint32_t pid) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  return fmt::format("{}.{}.{:04}{:02}{:02}T{:02}{:02}{:02}-{:06}.0.ringtrace", service, pid,
                     parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                     parts.tm_min, parts.tm_sec, now.tv_nsec / 1000);
}

// A lock that ends with this process, and leaves no file. Each run would be there twice with a
// second recording.
OwnedFd lock_recording(pid_t process, std::string* why) {
  const std::string directory = fmt::format("/proc/{}", process);
  OwnedFd lock(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) {
    *why = fmt::format("cannot open {}: {}; check that the service runs, and raise ulimit -Hn",
                       directory, std::generic_category().message(errno));
  } else if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    *why = "another ringctl sched records it; wait until that one has ended";
    return {};
  }
  return lock;
}

// Empty if files can be written to it.
std::string fault_of_directory(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
    return directory + " is not a directory; give --output DIR";
  if (access(directory.c_str(), W_OK) != 0)
    return fmt::format("cannot write to {}: {}; give --output DIR", directory,
                       std::generic_category().message(errno));
  return {};
}

std::optional<Recorded> begin_recording(const std::string& shm_dir, const std::string& segment,
                                        const std::string& output, std::string* why) {
  const auto image = SegmentImage::open_live(segment, why);
  if (image == nullptr) {
    if (why->empty()) *why = segment + " is gone, or not ready yet";
    return {};
  }
  const shm::SegmentHeader& header = image->header();
  Recorded one;
  one.service = header.service;
  one.pid = header.pid;
  const auto process = traced_process(segment, header.pid, why);
  if (!process) return {};
  one.process = *process;
  const std::string directory = output.empty() ? trace_directory(shm_dir, segment, why) : output;
  if (directory.empty()) return {};
  *why = fault_of_directory(directory);
  if (!why->empty()) return {};
  one.path = fmt::format("{}/{}", directory, trace_file_name(one.service, one.pid));
  ProcessDefinition definition;
  definition.pid = header.pid;
  definition.uid = header.uid;
  definition.start_unix_ns = header.start_realtime_ns;
  definition.service = one.service;
  definition.executable = header.exe;
  definition.host = header.host;
  one.recording = ScheduleRecording::open(one.process, definition, why);
  if (one.recording == nullptr) return {};
  one.lock = lock_recording(one.process, why);
  if (!one.lock) return {};
  return one;
}

// SIGINT and SIGTERM end the recording early; what is recorded is written.
OwnedFd stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return OwnedFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

void note_ended(std::vector<Recorded>& all, steady_clock::time_point begin) {
  for (Recorded& one : all) {
    const bool lives = kill(one.process, 0) == 0 || errno != ESRCH;
    if (!lives && !one.ended_after) one.ended_after = steady_clock::now() - begin;
  }
}

void record(std::vector<Recorded>& all, std::uint64_t duration_ns, int stop_fd) {
  const auto begin = steady_clock::now();
  const auto deadline = begin + std::chrono::nanoseconds(duration_ns);
  for (auto now = begin; now < deadline; now = steady_clock::now()) {
    const auto rest_ms = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
    const auto pause_ms =
        static_cast<int>(std::min<std::int64_t>(rest_ms, ScheduleRecording::kReadMs));
    if (all.front().recording->wait(stop_fd, pause_ms)) break;
    for (const Recorded& one : all) one.recording->read();
    note_ended(all, begin);
    const bool any_lives =
        std::any_of(all.begin(), all.end(), [](const Recorded& one) { return !one.ended_after; });
    if (!any_lives) break;
  }
  note_ended(all, begin);
  for (const Recorded& one : all) one.recording->finish();
}

void say_recorded(const Recorded& one, bool json) {
  const ScheduleRecording& recording = *one.recording;
  if (json) {
    nlohmann::ordered_json line;
    line["service"] = one.service;
    line["pid"] = one.pid;
    line["path"] = one.path;
    line["threads"] = recording.threads();
    line["runs"] = recording.runs();
    line["lost"] = recording.lost();
    if (one.ended_after) line["ended_after_ns"] = one.ended_after->count();
    return say_json(line);
  }
  std::string line = fmt::format("{} {}: {}: {} runs of {} threads", one.service, one.pid, one.path,
                                 recording.runs(), recording.threads());
  if (recording.lost() != 0)
    line += fmt::format("; {} switches lost, because the kernel's ring was full", recording.lost());
  if (one.ended_after)
    line += fmt::format("; the service ended after {:.1f} s",
                        std::chrono::duration<double>(*one.ended_after).count());
  say(line);
}

// What is recorded cannot be recorded again: it goes elsewhere if its directory has vanished.
bool write_recorded(const Recorded& one, std::string* why) {
  if (one.recording->write(one.path, why)) return true;
  std::error_code code;
  const std::filesystem::path other =
      std::filesystem::temp_directory_path(code) / std::filesystem::path(one.path).filename();
  std::string why_not;
  if (!code && one.recording->write(other, &why_not))
    *why += "; the recording is in " + other.string();
  return false;
}

}  // namespace

int run_sched(int argc, char** argv) {
  CLI::App app(
      "Records when the threads of services run, on which processor, and when they wait, as spans\n"
      "of the category ringside.sched in a trace file beside those of the service. The kernel\n"
      "records each context switch (perf_event_open); the service is not changed or stopped.",
      "ringctl sched");
  ControlOptions options;
  std::string duration = "10s";
  std::string output;
  app.add_option("--for", duration, "how long; Ctrl-C ends it early")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_option("-o,--output", output,
                 "directory for the trace files; default: where consumerd writes those of the\n"
                 "service")
      ->type_name("DIR");
  add_control_options(app, options);
  app.footer(
      "ringcat report draws the runs above the spans of each thread.\n"
      "\n"
      "  ringctl sched --service kvd --for 10s\n"
      "\n"
      "Permitted for processes of the same user if /proc/sys/kernel/perf_event_paranoid is 2 or\n"
      "less, and with the capability CAP_PERFMON.\n"
      "\n"
      "Exit status: 0 success, 1 failed for a service (see standard error), 2 invalid usage,\n"
      "3 no such service.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  const auto duration_ns = parse_duration_ns(duration);
  if (!duration_ns || *duration_ns == 0) {
    complain("--for " + duration +
             ": invalid duration; use one number and one unit, such as 500ms, 10s or 90m");
    return kCtlUsage;
  }
  const OwnedFd stop = stop_signals();
  std::vector<Recorded> all;
  int status = for_each_service(options, [&](SegmentControl& control, std::string* why) {
    auto one = begin_recording(options.services.shm_dir, control.path(), output, why);
    if (one) all.push_back(std::move(*one));
    return one.has_value();
  });
  if (all.empty()) return status;
  record(all, *duration_ns, stop.get());
  for (Recorded& one : all) {
    std::string why;
    if (write_recorded(one, &why)) {
      say_recorded(one, options.json);
      continue;
    }
    complain(fmt::format("{} {}: {}", one.service, one.pid, why));
    status = kCtlFailed;
  }
  return status;
}

}  // namespace ringside::tool
