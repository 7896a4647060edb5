#include "tools/ringrun/tracing_processes.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/processes/started_process.hpp"
#include "tools/ringrun/companion_programs.hpp"
#include "tools/ringrun/companion_readiness.hpp"
#include "tools/ringrun/run_message.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPollPause = std::chrono::milliseconds(1);
constexpr auto kLongestStart = std::chrono::seconds(60);
// Of trace files that are not kept: as much as ringcat can have left to print.
constexpr const char* kSpoolFileBytes = "64M";
constexpr const char* kSpoolBytes = "1G";
// The signal that ended the program can come a second time, as from timeout(1), which sends it to
// the process and to its group.
constexpr auto kPatience = std::chrono::milliseconds(500);

// The private consumerd is configured by its command line only: the variables are meant for one
// that runs all the time.
void remove_consumer_variables() {
  constexpr std::string_view kPrefix = "RINGSIDE_CONSUMERD_";
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(kPrefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) {
    unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  }
}

}  // namespace

bool TracingProcesses::start_companion(Companion& companion, const std::vector<std::string>& words,
                                       int output) {
  const auto prepare = [this, output] {
    setsid();  // signals of the terminal are not meant for it, and it may write to it at any time
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (output != STDOUT_FILENO) dup2(output, STDOUT_FILENO);
    dup2(null, STDIN_FILENO);
    fcntl(lease_, F_SETFD, 0);
    remove_consumer_variables();
    SignalInbox::unblock_all();
  };
  // Killed, ringrun can print nothing more. The trace is completed.
  const int death_signal = &companion == &printer_ ? SIGKILL : SIGTERM;
  const StartedProcess started = start_process(words, death_signal, prepare);
  companion.pid = started.pid;
  companion.end.reset();
  if (started.pid > 0) return true;
  report(fmt::format("cannot run {}: {}; install it beside ringrun, or in a folder of PATH",
                     companion.name, reason_of(started.error)));
  return false;
}

std::vector<std::string> TracingProcesses::consumer_words(bool once) const {
  std::vector<std::string> words = {companion_program("consumerd"),
                                    "--output",
                                    directories_.traces,
                                    "--shm-dir",
                                    directories_.shared_memory,
                                    "--io",
                                    "pwrite"};
  // What is only printed must not fill the disk in a long run. ringcat reports what it misses.
  if (directories_.keep.empty()) {
    words.insert(words.end(), {"--rotate-bytes", kSpoolFileBytes, "--keep-bytes", kSpoolBytes});
  }
  if (once) words.emplace_back("--once");
  return words;
}

bool TracingProcesses::start(const RunOptions& options, bool prints) {
  if (!start_companion(consumer_, consumer_words(false), STDERR_FILENO)) return false;
  if (!prints) return true;
  std::vector<std::string> words = {companion_program("ringcat"), "print", "--follow"};
  words.insert(words.end(), options.printing.begin(), options.printing.end());
  words.push_back(directories_.traces);
  return start_companion(printer_, words,
                         options.records_to_stdout ? STDOUT_FILENO : STDERR_FILENO);
}

void TracingProcesses::update(Companion& companion) {
  if (companion.runs()) companion.end = news_of(companion.pid).end;
}

bool TracingProcesses::has_failed(Companion& companion) {
  update(companion);
  if (companion.pid <= 0 || companion.runs()) return false;
  report(
      fmt::format("cannot start: {} {}; see its message", companion.name, text_of(*companion.end)));
  return true;
}

bool TracingProcesses::wait_until_ready() {
  const auto deadline = Clock::now() + kLongestStart;
  for (;;) {
    if (has_failed(consumer_) || has_failed(printer_) || pending_end_signal() != 0) return false;
    const bool is_printing = printer_.pid <= 0 || handles_signal(printer_.pid, SIGTERM);
    if (is_printing && is_consumer_ready(directories_.shared_memory)) return true;
    if (Clock::now() > deadline) {
      report(
          fmt::format("consumerd or ringcat is not ready after {} s; check the load of this "
                      "machine and '{}'",
                      kLongestStart.count(), directories_.shared_memory));
      return false;
    }
    std::this_thread::sleep_for(kPollPause);  // signals stay for the program
  }
}

void TracingProcesses::check() {
  if (consumer_.runs()) {
    update(consumer_);
    if (!consumer_.runs()) {
      report(
          fmt::format("consumerd {}; the records that it has not written are printed when the "
                      "program ends",
                      text_of(*consumer_.end)));
    }
  }
  if (printer_.runs()) {
    update(printer_);
    // With success, its output has no reader any more.
    if (!printer_.runs() && !printer_.end->is_success()) {
      report(fmt::format("ringcat {}; further records are not printed", text_of(*printer_.end)));
    }
  }
}

// The first one ends the printing, the next one the writing, too.
void TracingProcesses::take_end_signals(Companion& awaited) {
  while (const auto signal = inbox_.take()) {
    if (!asks_to_end(static_cast<int>(signal->ssi_signo))) continue;
    if (Clock::now() - finishing_since_ < kPatience) continue;
    if (printer_.runs()) kill(printer_.pid, SIGKILL);
    if (is_hurried_ && awaited.runs()) kill(awaited.pid, SIGKILL);
    is_hurried_ = true;
  }
}

void TracingProcesses::wait_for_end(Companion& companion) {
  for (;;) {
    take_end_signals(companion);
    update(companion);
    if (!companion.runs()) return;
    inbox_.wait(-1);
  }
}

// consumerd does not take segments that appear while it ends. A trace that is kept has all records,
// even if they are not printed.
void TracingProcesses::drain_rest() {
  const bool is_wanted = !is_hurried_ || !directories_.keep.empty();
  if (!is_wanted || !has_segments(directories_.shared_memory)) return;
  Companion once{"consumerd"};
  if (start_companion(once, consumer_words(true), STDERR_FILENO)) wait_for_end(once);
}

void TracingProcesses::finish() {
  finishing_since_ = Clock::now();
  const bool was_printing = printer_.runs();
  if (consumer_.runs()) kill(consumer_.pid, SIGTERM);
  wait_for_end(consumer_);
  drain_rest();
  if (printer_.runs()) kill(printer_.pid, SIGTERM);
  wait_for_end(printer_);
  if (is_hurried_) {
    report("the last records are not printed because of a signal; --keep DIR keeps them");
  } else if (was_printing && printer_.end->signal != 0) {
    report(fmt::format("ringcat {}; the last records are not printed", text_of(*printer_.end)));
  }
}

void TracingProcesses::kill_all() {
  for (Companion* const companion : {&consumer_, &printer_}) {
    if (companion->runs()) kill(companion->pid, SIGKILL);
  }
  is_hurried_ = true;
  wait_for_end(consumer_);
  wait_for_end(printer_);
}

}  // namespace ringside::tool
