// consumerd: drains the rings of traced services into trace files.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sched.h>
#include <string>

#include <sys/prctl.h>
#include <sys/resource.h>

#include "consumerd/configuration/options.hpp"
#include "consumerd/descriptors/standard_descriptors.hpp"
#include "consumerd/discover/truncation_guard.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/poll/idle_sleep.hpp"
#include "consumerd/poll/poll_loop.hpp"

namespace {

std::atomic<bool> g_stop{false};
std::atomic<bool> g_rotate{false};

void request_stop(int /*signal*/) {
  g_stop.store(true, std::memory_order_relaxed);
  ringside::consumer::interrupt_sleep();
}

void request_rotation(int /*signal*/) {
  g_rotate.store(true, std::memory_order_relaxed);
  ringside::consumer::interrupt_sleep();
}

void install_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = request_rotation;
  sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  // Exceeding the file size limit must be an error like a full disk.
  sigaction(SIGXFSZ, &action, nullptr);
  ringside::consumer::install_truncation_guard();
}

// Each segment takes two descriptors; the default limit is meant for programs that use select().
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

bool pin_to(int cpu, const ringside::consumer::Log& log) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return true;
  log.error("cannot run on processor " + std::to_string(cpu) + ": " +
            ringside::consumer::error_text(errno) + "; choose another --cpu");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ringside::consumer;
  if (!occupy_standard_descriptors()) return kExitFailure;
  int exit_code = kExitOk;
  const std::optional<Options> options = parse_options(argc, argv, &exit_code);
  if (!options) return exit_code;
  const Log log(options->verbose, options->log_format);
  try {
    if (options->cpu >= 0 && !pin_to(options->cpu, log)) return kExitFailure;
    // Prevents the default timer slack from lengthening naps of tens of microseconds.
    prctl(PR_SET_TIMERSLACK, 1000UL);
    allow_many_files();
    install_signals();
    exit_code = PollLoop(*options, log, g_stop, g_rotate).run();
    log.report_suppressed();
    return exit_code;
  } catch (const std::exception& error) {
    log.error(error.what());
    return kExitFailure;
  }
}
