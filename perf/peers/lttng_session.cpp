#include "perf/peers/lttng_session.hpp"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#include "perf/harness/program_run.hpp"
#include "perf/peers/log_folder.hpp"

namespace ringside::perf {
namespace {

constexpr auto kLimit = std::chrono::seconds(60);  // of one command; only a hang reaches it

ProgramRun run_command(std::initializer_list<std::string> command, int cpu) {
  return run_program({.command = command, .cpu = cpu}, kLimit, ErrorOutput::kKeep);
}

bool daemon_answers(int cpu) {
  return run_command({"lttng", "list"}, cpu).status == 0;
}

std::uint64_t sum_of_numbers_behind(const std::string& text, const std::string& mark) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    sum += std::strtoull(text.c_str() + at, nullptr, 10);
  }
  return sum;
}

}  // namespace

LttngDaemon::LttngDaemon(int cpu) {
  if (daemon_answers(cpu)) return;
  const Descriptor nowhere = null_device();
  daemon_.emplace(Launch{.command = {"lttng-sessiond", "--no-kernel"},
                         .cpu = cpu,
                         .output = nowhere.get(),
                         .errors = nowhere.get()});
  for (int tenth = 0; tenth < 100; ++tenth) {
    if (daemon_answers(cpu)) return;
    usleep(100'000);
  }
  throw std::runtime_error(
      "lttng-sessiond does not answer within 10 s; check that it is installed");
}

void LttngSession::run(const std::string& what, std::initializer_list<std::string> command) const {
  const ProgramRun run = run_command(command, cpu_);
  if (run.status != 0) throw std::runtime_error("cannot " + what + ": " + run.output + run.errors);
}

LttngSession::LttngSession(std::string output, int cpu)
    : output_(std::move(output)),
      name_("ringside-perf-" + std::to_string(getpid()) + "-" +
            std::to_string(__builtin_ia32_rdtsc())),
      cpu_(cpu) {
  const std::string session = "--session=" + name_;
  run("create a session", {"lttng", "create", name_, "--output=" + output_});
  run("enable a channel", {"lttng", "enable-channel", session, "--userspace", "--subbuf-size=1M",
                           "--num-subbuf=4", "--blocking-timeout=inf", "all"});
  run("enable events",
      {"lttng", "enable-event", session, "--userspace", "--channel=all", "ringside_perf:*"});
  run("start a session", {"lttng", "start", name_});
}

LttngSession::~LttngSession() {
  run_command({"lttng", "destroy", name_}, cpu_);
}

Written LttngSession::stop() {
  constexpr int kQuietLooks = 40;
  std::uint64_t changed = __builtin_ia32_rdtsc();
  std::uintmax_t full = size_of_folder(output_);
  for (int quiet = 0; quiet < kQuietLooks; ++quiet) {
    usleep(500);
    const std::uintmax_t size = size_of_folder(output_);
    if (size == full) continue;
    changed = __builtin_ia32_rdtsc();
    full = size;
    quiet = 0;
  }
  run("stop a session", {"lttng", "stop", name_});
  const ProgramRun told = run_command({"lttng", "--mi", "xml", "list", name_}, cpu_);
  lost_ = sum_of_numbers_behind(told.output + told.errors, "<discarded_events>");
  return {changed, static_cast<double>(full) / static_cast<double>(size_of_folder(output_))};
}

}  // namespace ringside::perf
