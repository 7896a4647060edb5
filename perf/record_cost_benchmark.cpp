// The cost of a log call as a ratio to the floor: a loop that reads the TSC and stores it.
// Floor and subject alternate burst by burst, because machines change speed within a run.
//
//   record_cost_benchmark CONSUMERD     path of the consumerd that drains while this runs

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>
#include <ringside/ringside.hpp>
#include <sys/wait.h>

namespace {

constexpr int kBurst = 2000;  // calls; 16 KiB to 100 KiB of ring
constexpr int kPairs = 400;

template <class Call>
std::uint64_t ticks_of(Call&& call) {
  const std::uint64_t start = __builtin_ia32_rdtsc();
  for (int i = 0; i < kBurst; ++i) call(i);
  return __builtin_ia32_rdtsc() - start;
}

std::uint64_t floor_ticks() {
  static std::vector<std::uint64_t> stored(kBurst);
  std::uint64_t* next = stored.data();
  benchmark::DoNotOptimize(next);
  return ticks_of([&next](int) {
    *next++ = __builtin_ia32_rdtsc();
    benchmark::ClobberMemory();
  });
}

struct Subject {
  const char* name;
  std::uint64_t (*ticks)();
};

// Arguments are opaque to the compiler, as they are in a service.
template <class T>
T opaque(T value) {
  benchmark::DoNotOptimize(value);
  return value;
}

std::uint64_t nothing() {
  return floor_ticks();
}

std::uint64_t static_string() {
  return ticks_of([](int) { RS_INFO("Starting backup replica garbage collector thread"); });
}

std::uint64_t string_concat() {
  return ticks_of([](int) {
    RS_INFO("Opened session with coordinator at %s",
            opaque("basic+udp:host=192.168.1.140,port=12246"));
  });
}

std::uint64_t single_integer() {
  return ticks_of([](int) { RS_INFO("Backup storage speeds (min): %d MB/s read", opaque(181)); });
}

std::uint64_t two_integers() {
  return ticks_of([](int) {
    RS_INFO("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
            opaque(1032024U), opaque(1016544U));
  });
}

std::uint64_t single_double() {
  return ticks_of(
      [](int) { RS_INFO("Using tombstone ratio balancer with ratio = %0.6lf", opaque(0.4)); });
}

std::uint64_t five_arguments() {
  return ticks_of([](int) {
    RS_INFO(
        "Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers "
        "(%u MB), took %0.1lf ms",
        opaque(50000U), opaque(97U), opaque(50U), opaque(0U), opaque(26.2));
  });
}

void measure(benchmark::State& state, Subject subject) {
  std::vector<double> ratios;
  double best = 1e9;
  while (state.KeepRunning()) {
    ratios.clear();
    for (int i = 0; i < kPairs; ++i) {
      const std::uint64_t floor = floor_ticks();
      const double ratio = static_cast<double>(subject.ticks()) /
                           static_cast<double>(std::max<std::uint64_t>(floor, 1));
      ratios.push_back(ratio);
      best = std::min(best, ratio);
      // A service that logs without end would measure the consumer: let the ring drain.
      usleep(200);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["ratio_median"] = ratios[ratios.size() / 2];
  state.counters["ratio_p25"] = ratios[ratios.size() / 4];
  state.counters["ratio_lowest"] = best;
}

pid_t start_consumerd(const char* path, const std::string& shm_dir, const std::string& output) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl(path, path, "--shm-dir", shm_dir.c_str(), "--output", output.c_str(), nullptr);
    _exit(127);
  }
  return pid;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s [--benchmark_...] CONSUMERD\n", argv[0]);
    return 2;
  }
  std::string dir = "/dev/shm/ringside-perf.XXXXXX";
  if (mkdtemp(dir.data()) == nullptr) {
    std::perror("mkdtemp");
    return 1;
  }
  const pid_t consumerd = start_consumerd(argv[1], dir, dir);
  ringside::Options options;
  options.shm_dir = dir;
  ringside::init(options);
  ringside::preallocate();
  const Subject subjects[] = {{"floor", nothing},
                              {"static", static_string},
                              {"string39", string_concat},
                              {"integer", single_integer},
                              {"two_integers", two_integers},
                              {"double", single_double},
                              {"five_arguments", five_arguments}};
  for (const Subject& subject : subjects) {
    benchmark::RegisterBenchmark(subject.name,
                                 [subject](benchmark::State& state) { measure(state, subject); })
        ->Iterations(5)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  const bool written = ringside::flush(std::chrono::seconds(10));
  const ringside::Status status = ringside::status();
  kill(consumerd, SIGTERM);
  waitpid(consumerd, nullptr, 0);
  std::filesystem::remove_all(dir);
  if (!written || status.dropped != 0 || status.refused != 0) {
    std::fprintf(stderr, "%s dropped=%lu refused=%lu: the figures do not count\n",
                 written ? "written," : "not written,", status.dropped, status.refused);
    return 1;
  }
  return 0;
}
