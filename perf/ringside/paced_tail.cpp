// The origin of the tail of paced calls: static messages at one call per 600 ns, classified by the
// place of their record. A record of 8 bytes begins a cache line with every 8th call and a page
// with every 512th, and the consumer may have read the ring since the previous call.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "perf/harness/paced_calls.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"
#include "shm-layout/ring_metadata.hpp"

namespace {

using namespace ringside;
using namespace ringside::perf;

constexpr int kCalls = 1'000'000;
constexpr double kPaceNs = 600;

enum Kind : std::uint8_t { kSameLine, kNewLine, kNewPage, kPolled };
constexpr std::array kKindNames{"same line", "new line", "new page", "after a poll"};
constexpr std::array kTail{Percentile{"p50", 5000}, Percentile{"p99", 9900},
                           Percentile{"p99.9", 9990}, Percentile{"p99.99", 9999}};

const shm::RingMetadata& own_ring() {
  const auto address = reinterpret_cast<std::uintptr_t>(rs_thread_state.producer_pos);
  return *reinterpret_cast<const shm::RingMetadata*>(
      address - offsetof(shm::RingMetadata, producer.producer_pos));
}

class Placement {
 public:
  // Of the record that the next call writes.
  Kind next() {
    const std::uint64_t consumed = ring_.consumer.consumer_pos.load(std::memory_order_relaxed);
    const bool polled = consumed != consumed_;
    consumed_ = consumed;
    const std::uint64_t place = rs_thread_state.place + rs_thread_state.pos;
    if (place % 4096 == 0) return kNewPage;
    if (polled) return kPolled;
    return place % 64 == 0 ? kNewLine : kSameLine;
  }

 private:
  const shm::RingMetadata& ring_ = own_ring();
  std::uint64_t consumed_ = 0;
};

using TicksByKind = std::array<std::vector<std::uint64_t>, kKindNames.size()>;

void measure(int calls, TicksByKind& ticks, std::vector<std::uint64_t>& timer) {
  SubjectCall<RingsideSubject, Case::static_text> subject;
  EmptyCall empty;
  Placement placement;
  const auto pace = static_cast<std::uint64_t>(kPaceNs * tsc_ticks_per_ns());
  std::uint64_t due = __builtin_ia32_rdtsc();
  for (int i = 0; i < calls; ++i) {
    std::uint64_t now = __builtin_ia32_rdtsc();
    while (now < due) now = __builtin_ia32_rdtsc();
    due = now + pace;
    if (i % 8 == 0) timer.push_back(empty.ticks(i));
    const Kind kind = placement.next();
    ticks[kind].push_back(subject.ticks(i));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row paced_tail of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  std::array<std::array<std::vector<double>, kTail.size()>, kKindNames.size()> ns;
  const int calls = options->scaled(kCalls);
  TicksByKind ticks;
  std::vector<std::uint64_t> timer;
  // Touches their memory first: a page fault of the measurement itself must not count as the log
  // call's.
  for (auto& of_kind : ticks) of_kind.assign(static_cast<std::size_t>(calls), 0);
  for (int repeat = 0; repeat < options->repeats_or_one(); ++repeat) {
    for (auto& of_kind : ticks) of_kind.clear();
    timer.clear();
    measure(calls, ticks, timer);
    std::sort(timer.begin(), timer.end());
    const std::uint64_t clock = percentile(timer, 5000);
    for (std::size_t kind = 0; kind < ticks.size(); ++kind) {
      std::sort(ticks[kind].begin(), ticks[kind].end());
      for (std::size_t p = 0; p < kTail.size() && !ticks[kind].empty(); ++p) {
        const std::uint64_t value = percentile(ticks[kind], kTail[p].permyriad);
        ns[kind][p].push_back(static_cast<double>(value > clock ? value - clock : 0) /
                              tsc_ticks_per_ns());
      }
    }
  }
  for (std::size_t kind = 0; kind < ns.size(); ++kind) {
    for (std::size_t p = 0; p < kTail.size(); ++p) {
      if (ns[kind][p].empty()) continue;
      ResultLine("paced_tail", RingsideSubject::kName, kKindNames[kind])
          .with("p", kTail[p].name)
          .print("call", "ns", spread_of(ns[kind][p]));
    }
  }
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
