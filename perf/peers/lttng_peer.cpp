// LTTng-UST: typed tracepoints, lttng-sessiond and its consumer, per-processor buffers. Its trace
// is binary, so this peer also has the row `text` (babeltrace2).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unistd.h>

#include "perf/peers/lttng_session.hpp"
#include "perf/peers/lttng_tracepoints.h"
#include "perf/peers/peer_rows.hpp"

namespace {

using namespace ringside::perf;

struct LttngPeer {
  static constexpr const char* kName = "lttng";
  static constexpr int kRecords = 2'000'000;

  static inline std::optional<LttngDaemon> daemon;
  static inline std::unique_ptr<LttngSession> session;
  static inline std::uint64_t lost = 0;

  static RecordCostPlan plan() {
    RecordCostPlan plan;
    plan.bursts.pairs = 200;
    return plan;
  }

  static void open(const std::string& folder, Processors processors) {
    if (!daemon) daemon.emplace(processors.consumer);
    session = std::make_unique<LttngSession>(folder, processors.consumer);
    // LTTng's thread in this process enables the tracepoints.
    for (int ms = 0; !lttng_ust_tracepoint_enabled(ringside_perf, static_text) ||
                     !lttng_ust_tracepoint_enabled(ringside_perf, five_arguments);
         ++ms) {
      if (ms == 10'000) throw std::runtime_error("tracepoints were not enabled within 10 s");
      usleep(1000);
    }
  }
  static Written close() {
    const Written all_written = session->stop();
    lost = session->lost();
    session.reset();
    return all_written;
  }
  static std::uint64_t missing(const std::string& /*folder*/, std::uint64_t /*logged*/) {
    return lost;
  }
  static void settle() { usleep(200); }

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      lttng_ust_tracepoint(ringside_perf, static_text);
    } else if constexpr (C == Case::string39) {
      lttng_ust_tracepoint(ringside_perf, string39, ringside::perf::string39());
    } else if constexpr (C == Case::integer) {
      lttng_ust_tracepoint(ringside_perf, integer, ringside::perf::integer());
    } else if constexpr (C == Case::two_integers) {
      lttng_ust_tracepoint(ringside_perf, two_integers, two_integers_first(),
                           two_integers_second());
    } else if constexpr (C == Case::floating) {
      lttng_ust_tracepoint(ringside_perf, floating, ringside::perf::floating());
    } else {
      lttng_ust_tracepoint(ringside_perf, five_arguments, five_first(), five_second(), five_third(),
                           five_fourth(), five_fifth());
    }
  }
};

// Time of babeltrace2 on one processor for this number of records; its text is discarded.
template <Case C>
std::vector<double> text_ticks(PeerRun& run, int records) {
  const TemporaryDirectory folder("/dev/shm");
  LttngPeer::open(folder.path(), run.processors);
  burst_ticks<LttngPeer, C>(records);
  LttngPeer::close();
  run.missing += LttngPeer::missing(folder.path(), 0);
  const Descriptor nowhere = null_device();
  std::vector<double> ticks;
  for (int repeat = 0; repeat < (run.options.quick ? 1 : 3); ++repeat) {
    const std::uint64_t start = __builtin_ia32_rdtsc();
    ChildProcess babeltrace({.command = {"babeltrace2", folder.path()},
                             .cpu = run.processors.measured,
                             .output = nowhere.get(),
                             .errors = nowhere.get()});
    const int status = babeltrace.wait();
    ticks.push_back(static_cast<double>(__builtin_ia32_rdtsc() - start));
    if (status != 0) throw std::runtime_error("babeltrace2 cannot read the trace");
  }
  return ticks;
}

// The time of a trace of one record is subtracted.
template <Case C>
void print_text(PeerRun& run, double empty_ticks) {
  constexpr int kLines = 300'000;
  if (!run.options.wants_case(C)) return;
  const int lines = run.options.scaled(kLines);
  std::vector<double> rates;
  for (const double ticks : text_ticks<C>(run, lines)) {
    rates.push_back(1e3 * tsc_ticks_per_ns() * lines / std::max(ticks - empty_ticks, 1.0));
  }
  ResultLine("text", LttngPeer::kName, name_of(C))
      .with("arguments", "constant")
      .print("one_core", "M lines/s", spread_of(rates, Better::higher));
}

}  // namespace

int main(int argc, char** argv) try {
  // The tracer reads it before main().
  if (std::getenv("LTTNG_UST_ALLOW_BLOCKING") == nullptr) {  // NOLINT(concurrency-mt-unsafe)
    setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);              // NOLINT(concurrency-mt-unsafe)
    execv("/proc/self/exe", argv);
    std::perror("lttng: cannot restart this program with LTTNG_UST_ALLOW_BLOCKING");
    return kExitNotPossible;
  }
  const int status = run_peer<LttngPeer>(argc, argv, [](PeerRun& run) {
    if (!run.options.wants_row("text")) return;
    const double empty = spread_of(text_ticks<Case::static_text>(run, 1)).median;
    print_text<Case::static_text>(run, empty);
    print_text<Case::string39>(run, empty);
    print_text<Case::integer>(run, empty);
    print_text<Case::two_integers>(run, empty);
    print_text<Case::floating>(run, empty);
    print_text<Case::five_arguments>(run, empty);
  });
  LttngPeer::session.reset();
  LttngPeer::daemon.reset();
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
