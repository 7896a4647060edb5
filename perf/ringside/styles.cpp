// Cost of a log call in each style, and of an event, as a ratio to the printf call with the same
// arguments: both take turns, each as a ratio to the floor.

#include <cstdio>
#include <exception>
#include <unistd.h>
#include <vector>

#include <ringside/event.hpp>
#include <ringside/format.hpp>
#include <ringside/stream.hpp>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

struct BraceSubject {
  static constexpr const char* kName = RingsideSubject::kName;
  static constexpr const char* kStyle = "brace";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_FMT_INFO("Starting backup replica garbage collector thread");
    } else if constexpr (C == Case::string39) {
      RS_FMT_INFO("Opened session with coordinator at {}", string39());
    } else if constexpr (C == Case::integer) {
      RS_FMT_INFO("Backup storage speeds (min): {} MB/s read", integer());
    } else if constexpr (C == Case::two_integers) {
      RS_FMT_INFO("Buffer has consumed {} bytes of extra storage, current allocation: {} bytes",
                  two_integers_first(), two_integers_second());
    } else if constexpr (C == Case::floating) {
      RS_FMT_INFO("Using tombstone ratio balancer with ratio = {:.6f}", floating());
    } else {
      RS_FMT_INFO(
          "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} "
          "MB), took {:.1f} ms",
          five_first(), five_second(), five_third(), five_fourth(), five_fifth());
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

struct StreamSubject {
  static constexpr const char* kName = RingsideSubject::kName;
  static constexpr const char* kStyle = "stream";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_STREAM(INFO) << "Starting backup replica garbage collector thread";
    } else if constexpr (C == Case::string39) {
      RS_STREAM(INFO) << "Opened session with coordinator at " << string39();
    } else if constexpr (C == Case::integer) {
      RS_STREAM(INFO) << "Backup storage speeds (min): " << integer() << " MB/s read";
    } else if constexpr (C == Case::two_integers) {
      RS_STREAM(INFO) << "Buffer has consumed " << two_integers_first()
                      << " bytes of extra storage, current allocation: " << two_integers_second()
                      << " bytes";
    } else if constexpr (C == Case::floating) {
      RS_STREAM(INFO) << "Using tombstone ratio balancer with ratio = " << floating();
    } else {
      RS_STREAM(INFO) << "Initialized InfUdDriver buffers: " << five_first() << " receive buffers ("
                      << five_second() << " MB), " << five_third() << " transmit buffers ("
                      << five_fourth() << " MB), took " << five_fifth() << " ms";
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

struct EventSubject {
  static constexpr const char* kName = RingsideSubject::kName;
  static constexpr const char* kStyle = "event";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_EVENT(INFO, "collector.started");
    } else if constexpr (C == Case::string39) {
      RS_EVENT(INFO, "session.opened", RS_NAMED("coordinator", string39()));
    } else if constexpr (C == Case::integer) {
      RS_EVENT(INFO, "storage.speed", RS_NAMED("read_mb_s", integer()));
    } else if constexpr (C == Case::two_integers) {
      RS_EVENT(INFO, "buffer", RS_NAMED("consumed", two_integers_first()),
               RS_NAMED("allocated", two_integers_second()));
    } else if constexpr (C == Case::floating) {
      RS_EVENT(INFO, "tombstones", RS_NAMED("ratio", floating()));
    } else {
      RS_EVENT(INFO, "buffers", RS_NAMED("receive", five_first()),
               RS_NAMED("receive_mb", five_second()), RS_NAMED("transmit", five_third()),
               RS_NAMED("transmit_mb", five_fourth()), RS_NAMED("took_ms", five_fifth()));
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

template <class Style, Case C>
void measure(const RunOptions& options) {
  if (!options.wants_case(C)) return;
  BurstPlan plan;
  plan.pairs = 2 * kPlacements;
  std::vector<double> ratios;
  std::vector<double> ns;
  const int rounds = options.scaled(25 * options.repeats);
  for (int i = 0; i < rounds; ++i) {
    BurstResult styled = paired_bursts<Style, C>(plan);
    const BurstResult printf = paired_bursts<RingsideSubject, C>(plan);
    ratios.push_back(spread_of(styled.ratio).median / spread_of(printf.ratio).median);
    ns.insert(ns.end(), styled.subject_ns.begin(), styled.subject_ns.end());
  }
  const auto line = [] {
    return ResultLine("styles", RingsideSubject::kName, name_of(C)).with("style", Style::kStyle);
  };
  line().print("call", "ns", spread_of(ns));
  line().print("ratio_to_printf", "x", spread_of(ratios));
}

template <class Style>
void measure_cases(const RunOptions& options) {
  measure<Style, Case::static_text>(options);
  measure<Style, Case::string39>(options);
  measure<Style, Case::integer>(options);
  measure<Style, Case::two_integers>(options);
  measure<Style, Case::floating>(options);
  measure<Style, Case::five_arguments>(options);
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row styles of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure_cases<BraceSubject>(*options);
  measure_cases<StreamSubject>(*options);
  measure_cases<EventSubject>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
