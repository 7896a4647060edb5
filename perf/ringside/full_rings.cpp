// How long consumerd takes for 64 full rings of random strings, with one and with two encoder
// threads (consumerd --threads), in turns; and its processor time, to which the kernel's threads
// that write for io_uring belong. A service fills its rings while no consumer runs; then `consumerd
// --once` drains them. The rings are large, so that its start hardly counts.

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
#include <sys/resource.h>
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
  threads.reserve(kRings);
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

struct Drained {
  double wall_s = -1;  // negative if it failed
  double processor_s = 0;
};

// Of all children that were waited for.
double processor_time_s() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Drained drain(const std::string& parent, const RunOptions& options, const char* io, int threads) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory out(parent);
  Pipe pipe;
  const pid_t service = fork();
  if (service < 0) return {};
  if (service == 0) {
    fill_rings(shm.path(), static_cast<int>(options.quick ? kRingBytes / 8 : kRingBytes),
               pipe.write.get());
  }
  char ready = 0;
  pipe.write.close();
  Drained drained;
  if (read(pipe.read.get(), &ready, 1) == 1) {
    const double used_s = processor_time_s();
    const auto from = Clock::now();
    ChildProcess consumerd(
        Launch{.command = {CONSUMERD_PATH, "--shm-dir", shm.path(), "--output", out.path(),
                           "--once", "--io", io, "--threads", std::to_string(threads)},
               .output = STDERR_FILENO});
    const int status = consumerd.wait();
    const double wall_s = std::chrono::duration<double>(Clock::now() - from).count();
    if (status == 0) drained = {wall_s, processor_time_s() - used_s};
  }
  kill(service, SIGKILL);
  waitpid(service, nullptr, 0);
  return drained;
}

int measure(const char* sink, const std::string& parent, const char* io,
            const RunOptions& options) {
  std::vector<double> one;
  std::vector<double> two;
  std::vector<double> one_processor;
  std::vector<double> two_processor;
  std::vector<double> ratios;
  for (int repeat = 0; repeat < options.repeats_or_one(); ++repeat) {
    const Drained with_one = drain(parent, options, io, 1);
    const Drained with_two = drain(parent, options, io, 2);
    if (with_one.wall_s < 0 || with_two.wall_s < 0) return kExitDoesNotCount;
    one.push_back(with_one.wall_s);
    two.push_back(with_two.wall_s);
    one_processor.push_back(with_one.processor_s);
    two_processor.push_back(with_two.processor_s);
    ratios.push_back(one.back() / two.back());
  }
  const auto line = [&] {
    ResultLine of("full_rings", "ringside", name_of(Case::string39));
    of.with("sink", sink).with("io", io);
    return of;
  };
  line().print("one_thread", "s", spread_of(one));
  line().print("two_threads", "s", spread_of(two));
  line().print("one_thread_processor", "s", spread_of(one_processor));
  line().print("two_threads_processor", "s", spread_of(two_processor));
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
