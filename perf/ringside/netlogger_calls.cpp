// Section 6 of NetLogger's white paper, which it leaves open: the cost of a call of each interface
// for an event, as a ratio to the log call with the same values, and beside it what the encoding as
// text costs: the line of ULM that a library without a binary encoding makes in the call.

#include <cstdio>
#include <ctime>
#include <exception>
#include <vector>

#include <ringside/netlogger.h>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr const char* kConstants = "LVL=Info Site=lbl.gov";

struct rs_netlogger* handle() {
  static rs_netlogger* const kHandle = rs_netlogger_open();
  return kHandle;
}

// RS_NETLOGGER_WRITE: texts that are known at compile time.
struct MacroSubject {
  static constexpr const char* kName = RingsideSubject::kName;
  static constexpr const char* kInterface = "macro";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::integer) {
      RS_NETLOGGER_WRITE("disk.read", "LVL=Info Site=lbl.gov", "Bytes=%d", integer());
    } else {
      RS_NETLOGGER_WRITE("net.buffers", "LVL=Info Site=lbl.gov", "A=%u B=%u C=%u D=%u Took=%f",
                         five_first(), five_second(), five_third(), five_fourth(), five_fifth());
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

// rs_netlogger_write(): NetLogger's own call.
struct FunctionSubject {
  static constexpr const char* kName = RingsideSubject::kName;
  static constexpr const char* kInterface = "function";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::integer) {
      rs_netlogger_write(handle(), "disk.read", kConstants, "Bytes=%d", integer());
    } else {
      rs_netlogger_write(handle(), "net.buffers", kConstants, "A=%u B=%u C=%u D=%u Took=%f",
                         five_first(), five_second(), five_third(), five_fourth(), five_fifth());
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

// The line that NetLogger's text interface makes, without writing it anywhere.
struct UlmSubject {
  static constexpr const char* kName = RingsideSubject::kName;
  static constexpr const char* kInterface = "ulm text";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    static char line[512];
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    tm utc{};
    gmtime_r(&now.tv_sec, &utc);
    char date[32];
    const std::size_t bytes = std::strftime(date, sizeof date, "%Y%m%d%H%M%S", &utc);
    const int microseconds = static_cast<int>(now.tv_nsec / 1000);
    if constexpr (C == Case::integer) {
      std::snprintf(line, sizeof line,
                    "DATE=%.*s.%06d HOST=host PROG=perf NL.EVNT=disk.read LVL=Info Site=lbl.gov "
                    "Bytes=%d\n",
                    static_cast<int>(bytes), date, microseconds, integer());
    } else {
      std::snprintf(line, sizeof line,
                    "DATE=%.*s.%06d HOST=host PROG=perf NL.EVNT=net.buffers LVL=Info Site=lbl.gov "
                    "A=%u B=%u C=%u D=%u Took=%f\n",
                    static_cast<int>(bytes), date, microseconds, five_first(), five_second(),
                    five_third(), five_fourth(), five_fifth());
    }
    asm volatile("" : : "r"(line) : "memory");
  }
  static void settle() {}
};

template <class Interface, Case C>
void measure(const RunOptions& options) {
  if (!options.wants_case(C)) return;
  BurstPlan plan;
  plan.pairs = 2 * kPlacements;
  std::vector<double> ratios;
  std::vector<double> ns;
  const int rounds = options.scaled(10 * options.repeats);
  for (int i = 0; i < rounds; ++i) {
    const BurstResult event = paired_bursts<Interface, C>(plan);
    const BurstResult log = paired_bursts<RingsideSubject, C>(plan);
    ratios.push_back(spread_of(event.subject_ns).median / spread_of(log.subject_ns).median);
    ns.insert(ns.end(), event.subject_ns.begin(), event.subject_ns.end());
  }
  const auto line = [] {
    return ResultLine("netlogger_calls", RingsideSubject::kName, name_of(C))
        .with("interface", Interface::kInterface);
  };
  line().print("call", "ns", spread_of(ns));
  line().print("ratio_to_printf", "x", spread_of(ratios));
}

template <class Interface>
void measure_cases(const RunOptions& options) {
  measure<Interface, Case::integer>(options);
  measure<Interface, Case::five_arguments>(options);
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options =
      parse_run_options(argc, argv, "Row netlogger_calls of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure_cases<MacroSubject>(*options);
  measure_cases<FunctionSubject>(*options);
  measure_cases<UlmSubject>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
