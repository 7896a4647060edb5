// A service that logs predictable records, as its command line requests. If asked to wait,
// lines on standard input steer it, one command per line.

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/end-to-end/log_predicted.hpp"
#include "tests/end-to-end/progress_page.hpp"

namespace {

using namespace ringside::end_to_end;

constexpr char kUsage[] =
    "usage: workload [OPTION]...\n"
    "  --threads N       that log, default 1\n"
    "  --first N         number of the first thread in the messages, default 0\n"
    "  --records N       per thread, default 1000; 0: until standard input ends\n"
    "  --burst N         records without a pause, default all of them\n"
    "  --pause-us N      after a burst, default 1000\n"
    "  --progress FILE   counts the calls that have returned\n"
    "  --together        no thread ends before all have logged everything\n"
    "  --uniform         records of one size, which no checker predicts\n"
    "  --churn N         then N threads, 16 at a time, that log one record each\n"
    "  --steps           logs --records records for each line on standard input, flushes them and\n"
    "                    prints how many each thread has logged; ends with standard input\n"
    "  --hold            prints \"done\" and waits for the end of standard input at the end\n"
    "Prints the state of the library at the end, and its losses by the number of their cause.\n";

struct Settings {
  unsigned threads = 1;
  unsigned first = 0;
  std::uint64_t records = 1000;
  std::uint64_t burst = 0;
  unsigned pause_us = 1000;
  const char* progress = nullptr;
  bool together = false;
  bool uniform = false;
  bool steps = false;
  bool hold = false;
  std::uint64_t churn = 0;
};

std::atomic<bool> g_stop{false};
ThreadProgress g_no_progress[kMaxThreads];

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "workload: %s\n%s", what, kUsage);
  std::exit(2);  // NOLINT(concurrency-mt-unsafe)
}

Settings parse(int argc, char** argv) {
  enum Option {
    kThreads = 1,
    kFirst,
    kRecords,
    kBurst,
    kPause,
    kProgress,
    kTogether,
    kUniform,
    kSteps,
    kHold,
    kChurn
  };
  static constexpr option kOptions[] = {{"threads", required_argument, nullptr, kThreads},
                                        {"first", required_argument, nullptr, kFirst},
                                        {"records", required_argument, nullptr, kRecords},
                                        {"burst", required_argument, nullptr, kBurst},
                                        {"pause-us", required_argument, nullptr, kPause},
                                        {"progress", required_argument, nullptr, kProgress},
                                        {"together", no_argument, nullptr, kTogether},
                                        {"uniform", no_argument, nullptr, kUniform},
                                        {"steps", no_argument, nullptr, kSteps},
                                        {"hold", no_argument, nullptr, kHold},
                                        {"churn", required_argument, nullptr, kChurn},
                                        {nullptr, 0, nullptr, 0}};
  Settings s;
  int c = 0;
  while ((c = getopt_long(argc, argv, "", kOptions, nullptr)) !=
         -1) {  // NOLINT(concurrency-mt-unsafe)
    const std::uint64_t number = optarg != nullptr ? std::strtoull(optarg, nullptr, 10) : 0;
    switch (c) {
      case kThreads:
        s.threads = static_cast<unsigned>(number);
        break;
      case kFirst:
        s.first = static_cast<unsigned>(number);
        break;
      case kRecords:
        s.records = number;
        break;
      case kBurst:
        s.burst = number;
        break;
      case kPause:
        s.pause_us = static_cast<unsigned>(number);
        break;
      case kProgress:
        s.progress = optarg;
        break;
      case kTogether:
        s.together = true;
        break;
      case kUniform:
        s.uniform = true;
        break;
      case kSteps:
        s.steps = true;
        break;
      case kChurn:
        s.churn = number;
        break;
      case kHold:
        s.hold = true;
        break;
      default:
        give_up("wrong usage");
    }
  }
  if (optind < argc || s.threads == 0 || s.threads > kMaxThreads) give_up("wrong usage");
  return s;
}

void log_range(const Settings& s, unsigned index, std::uint64_t from, std::uint64_t to,
               ThreadProgress& progress) {
  std::uint64_t left_in_burst = s.burst;
  for (std::uint64_t number = from; number != to; ++number) {
    if (to == UINT64_MAX && g_stop.load(std::memory_order_relaxed)) return;
    if (s.uniform) {
      RS_INFO("%u/%" PRIu64, index, number);
    } else {
      log_predicted(s.first + index, number);
    }
    // Release: a process that reads the count can rely on the call having returned.
    progress.returned.store(number + 1, std::memory_order_release);
    if (s.burst != 0 && --left_in_burst == 0) {
      left_in_burst = s.burst;
      usleep(s.pause_us);
    }
  }
}

void wait_for_end_of_input() {
  char ignored[256];
  while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
  }
}

void name_thread(unsigned number) {
  const std::string name = "w" + std::to_string(number);
  pthread_setname_np(pthread_self(), name.c_str());
}

void run_steps(const Settings& s, ThreadProgress* progress) {
  name_thread(s.first);
  std::uint64_t logged = 0;
  char line[256];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    log_range(s, 0, logged, logged + s.records, progress[0]);
    logged += s.records;
    const bool flushed = ringside::flush(std::chrono::seconds(60));
    std::printf("%s %" PRIu64 "\n", flushed ? "flushed" : "not flushed", logged);
    std::fflush(stdout);
  }
}

void run_threads(const Settings& s, ThreadProgress* progress) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> logging{s.threads};
  for (unsigned index = 0; index < s.threads; ++index) {
    threads.emplace_back([&s, &logging, index, progress] {
      name_thread(s.first + index);
      log_range(s, index, 0, s.records != 0 ? s.records : UINT64_MAX, progress[index]);
      --logging;
      while (s.together && logging != 0) usleep(1000);
    });
  }
  if (s.records == 0) {
    wait_for_end_of_input();
    g_stop.store(true, std::memory_order_relaxed);
  }
  for (std::thread& thread : threads) thread.join();
}

void run_churn(const Settings& s) {
  constexpr std::uint64_t kAtOnce = 16;
  for (std::uint64_t made = 0; made < s.churn;) {
    std::vector<std::thread> threads;
    for (; threads.size() < kAtOnce && made < s.churn; ++made) {
      threads.emplace_back([made] { RS_INFO("short-lived thread %" PRIu64, made); });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Settings s = parse(argc, argv);
  ThreadProgress* const progress =
      s.progress != nullptr ? ProgressPage::map(s.progress) : g_no_progress;
  if (progress == nullptr) give_up("the progress file cannot be used");
  if (s.steps) {
    run_steps(s, progress);
  } else {
    run_threads(s, progress);
    run_churn(s);
  }
  if (s.hold) {
    std::printf("without a ring: %" PRIu64 "\n", ringside::status().refused);
    std::puts("done");
    std::fflush(stdout);
    wait_for_end_of_input();
  }
  std::uint64_t logged = 0;
  for (unsigned i = 0; i < s.threads; ++i) logged += progress[i].returned.load();
  const ringside::Status status = ringside::status();
  std::printf("state=%d logged=%" PRIu64 " dropped=%" PRIu64 " refused=%" PRIu64 "\n",
              static_cast<int>(status.state), logged, status.dropped, status.refused);
  for (int cause = RS_LOSS_ANY; cause <= RS_LOSS_TOO_LARGE; ++cause) {
    const std::uint64_t lost = ringside::losses(static_cast<ringside::LossCause>(cause));
    if (lost != 0) std::printf("lost.%d=%" PRIu64 "\n", cause, lost);
  }
  return 0;
}
