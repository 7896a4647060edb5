// How long consumerd takes for 64 full rings of random strings, with one and with two encoder
// threads (consumerd --threads), in turns. A service fills its rings while no consumer runs; then
// `consumerd --once` drains them. The rings are large, so that its start hardly counts.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ringside/ringside.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf/harness/child_process.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/random_messages.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace {

using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

constexpr int kRings = 64;
constexpr std::size_t kRingBytes = 8U << 20;

[[noreturn]] void fill_rings(const std::string& shm_dir, int ring_bytes, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ringside::Options options;
  options.shm_dir = shm_dir;
  options.service = "full_rings";
  options.ring_bytes = static_cast<std::uint64_t>(ring_bytes);
  options.max_threads = kRings + 1;
  options.overflow = ringside::Overflow::drop;
  ringside::init(options);
  std::atomic<int> full{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kRings; ++i) {
    threads.emplace_back([ring_bytes, &full] {
      ringside::preallocate();
      const RandomMessages messages;
      // A record takes more than 48 bytes of the ring.
      for (int record = 0; record < ring_bytes / 48; ++record) {
        messages.call<Case::string39>(record);
      }
      ++full;
      for (;;) pause();
    });
  }
  while (full < kRings) usleep(1000);
  if (write(ready, "r", 1) != 1) _exit(1);
  for (;;) pause();
}

// Seconds; negative if it failed.
double drain(const std::string& parent, const RunOptions& options, const char* io, int threads) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory out(parent);
  Pipe pipe;
  const pid_t service = fork();
  if (service < 0) return -1;
  if (service == 0) {
    fill_rings(shm.path(), static_cast<int>(options.quick ? kRingBytes / 8 : kRingBytes),
               pipe.write.get());
  }
  char ready = 0;
  pipe.write.close();
  double seconds = -1;
  if (read(pipe.read.get(), &ready, 1) == 1) {
    const auto from = Clock::now();
    ChildProcess consumerd(
        Launch{.command = {CONSUMERD_PATH, "--shm-dir", shm.path(), "--output", out.path(),
                           "--once", "--io", io, "--threads", std::to_string(threads)},
               .output = STDERR_FILENO});
    const int status = consumerd.wait();
    seconds = std::chrono::duration<double>(Clock::now() - from).count();
    if (status != 0) seconds = -1;
  }
  kill(service, SIGKILL);
  waitpid(service, nullptr, 0);
  return seconds;
}

int measure(const char* sink, const std::string& parent, const char* io,
            const RunOptions& options) {
  std::vector<double> one;
  std::vector<double> two;
  std::vector<double> ratios;
  for (int repeat = 0; repeat < options.repeats_or_one(); ++repeat) {
    one.push_back(drain(parent, options, io, 1));
    two.push_back(drain(parent, options, io, 2));
    if (one.back() < 0 || two.back() < 0) return kExitDoesNotCount;
    ratios.push_back(one.back() / two.back());
  }
  const auto line = [&] {
    ResultLine of("full_rings", "ringside", name_of(Case::string39));
    of.with("sink", sink).with("io", io);
    return of;
  };
  line().print("one_thread", "s", spread_of(one));
  line().print("two_threads", "s", spread_of(two));
  line().print("ratio", "x", spread_of(ratios, Better::higher));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row full_rings of Ringside.", &exit_code);
  if (!options) return exit_code;
  const std::string disk = std::filesystem::temp_directory_path();
  for (const char* const io : {"auto", "pwrite"}) {
    for (const auto& [sink, parent] :
         {std::pair<const char*, std::string>{"tmpfs", "/dev/shm"}, {"disk", disk}}) {
      const int status = measure(sink, parent, io, *options);
      if (status != kExitOk) return status;
    }
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
