// Figure 9.6 of NanoLog's dissertation: the distribution of the latency of log calls, made back to
// back by one thread without a pause, for rings of several sizes. A line for each point: the share
// of calls that took at least this time. The subject "rdtsc" stores each reading of the clock
// instead, as the source's line of that name does: what the machine alone does to the tail.
//
// 10 million calls of each kind, times --repeats; 10^9 with --repeats 100, which take 10 minutes a
// ring size and 3 to 20 GB in TMPDIR: --ring chooses some sizes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include "perf/evaluation/latency_histogram.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/harness/tsc_rate.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr int kCalls = 10'000'000;
constexpr std::array kRingBytes{4U << 10, 64U << 10, 512U << 10, 1U << 20, 4U << 20, 16U << 20};
constexpr int kPointsPerDecade = 8;
constexpr int kDecades = 9;  // from 10 ns

// Each interval ends where the next one begins. It contains the counting of the one before, in all
// subjects alike.
template <class Call>
void measure(std::uint64_t calls, LatencyHistogram& histogram, Call&& call) {
  std::uint64_t before = __builtin_ia32_rdtsc();
  for (std::uint64_t i = 0; i < calls; ++i) {
    call(i);
    const std::uint64_t now = __builtin_ia32_rdtsc();
    histogram.add(now - before);
    before = now;
  }
}

void print(const char* subject, Case message, std::uint64_t ring_bytes,
           const LatencyHistogram& histogram) {
  const auto all = static_cast<double>(histogram.all());
  const auto line = [&](double ns) {
    std::printf(
        "{\"row\":\"ring_sizes\",\"subject\":\"%s\",\"case\":\"%s\",\"ring_bytes\":%lu,"
        "\"calls\":%.0f,\"ns\":%.4g,\"metric\":\"at_least\",\"unit\":\"share\",",
        subject, name_of(message), ring_bytes, all, ns);
  };
  for (int point = 0; point <= kDecades * kPointsPerDecade; ++point) {
    const double ns = 10 * std::pow(10, static_cast<double>(point) / kPointsPerDecade);
    const std::uint64_t slower =
        histogram.at_least(static_cast<std::uint64_t>(ns * tsc_ticks_per_ns()));
    if (slower == 0) break;
    line(ns);
    std::printf("\"median\":%.9f}\n", static_cast<double>(slower) / all);
  }
  line(static_cast<double>(histogram.largest()) / tsc_ticks_per_ns());
  std::printf("\"median\":%.9f,\"largest\":true}\n", 1 / all);
  std::fflush(stdout);
}

struct RingOptions : RunOptions {
  std::vector<std::uint64_t> rings;  // empty: all

  bool wants_ring(std::uint64_t bytes) const {
    return rings.empty() || std::find(rings.begin(), rings.end(), bytes) != rings.end();
  }
};

template <Case C>
int measure_rings(const RingOptions& options) {
  if (!options.wants_case(C)) return kExitOk;
  const auto calls = static_cast<std::uint64_t>(options.scaled(kCalls)) *
                     static_cast<std::uint64_t>(options.repeats);
  int worst = kExitOk;
  for (const std::uint64_t ring_bytes : kRingBytes) {
    if (!options.wants_ring(ring_bytes)) continue;
    const int status = in_child_process([&] {
      ringside::Options service;
      service.ring_bytes = ring_bytes;
      TracedRun run(std::filesystem::temp_directory_path(), service);
      if (run.ready() != kExitOk) return run.ready();
      const auto histogram = std::make_unique<LatencyHistogram>();
      RingsideSubject::call<C>(0);  // first use
      measure(calls, *histogram, [](std::uint64_t) { RingsideSubject::call<C>(0); });
      print(RingsideSubject::kName, C, ring_bytes, *histogram);
      return run.finish();
    });
    if (status != kExitOk) worst = status;
  }
  return worst;
}

void measure_clock(const RunOptions& options) {
  const auto calls = static_cast<std::uint64_t>(options.scaled(kCalls));
  std::vector<std::uint64_t> readings(calls, 1);  // its pages exist
  const auto histogram = std::make_unique<LatencyHistogram>();
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    measure(calls, *histogram, [&](std::uint64_t i) { readings[i] = __builtin_ia32_rdtsc(); });
  }
  print("rdtsc", Case::static_text, 0, *histogram);
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Figure 9.6 of the source.");
  RingOptions options;
  app.add_flag("--quick", options.quick, "a tenth of the work, to check that it runs");
  app.add_option("--repeats", options.repeats, "times 10 million calls of each kind")
      ->check(CLI::Range(1, 1000));
  app.add_option("--case", options.cases, "only this message: static or five_arguments");
  app.add_option("--ring", options.rings, "only rings of this many bytes (repeatable)")
      ->check(CLI::IsMember(std::vector(kRingBytes.begin(), kRingBytes.end())));
  CLI11_PARSE(app, argc, argv);
  measure_clock(options);
  const int first = measure_rings<Case::static_text>(options);
  const int second = measure_rings<Case::five_arguments>(options);
  return first != kExitOk ? first : second;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
