#pragma once
// When threads ran: the records of `ringctl sched` (tools/scheduling/README.md).

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "shm-layout/record_head.hpp"
#include "tools/report/busy_time.hpp"
#include "tools/report/longest_spans.hpp"
#include "tools/report/report_part.hpp"
#include "tools/report/sampled_runs.hpp"

namespace ringside::tool {

// What is kept of a trace with too many runs: README.md, "Levels of detail".
class SchedulePart final : public ReportPart {
 public:
  static constexpr std::size_t kMostRuns = 60'000;
  static constexpr std::size_t kMostSampledRuns = 20'000;
  static constexpr std::size_t kMostThreads = 2'000;

  // Whether the event is such a record: no other panel draws it as a span of the thread.
  bool is_run(const trace::Event& event, const TraceStats::Place& place) {
    return (event.record.ext_flags & shm::kExtDuration) != 0 && is_known_run(event, place);
  }
  // Events for which is_run().
  void add(const ReportEvent& event) override;

  // README.md, "schedule". Call it at the end. `level`: of SectionFitting.
  nlohmann::json document(const TimeGrid& grid, unsigned level = 0);

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // service, process, thread
  struct Thread {
    std::uint32_t number = 0;
    std::uint32_t stream = 0;  // of the latest run
    std::uint64_t runs = 0;
    std::uint64_t next = 0;  // number of the next run; one is left out between two recordings
    BusyTime busy;
    GridCounts<std::uint32_t> counts;
    SampledRuns<DrawnSpan> sampled;
  };
  bool is_known_run(const trace::Event& event, const TraceStats::Place& place);
  Thread* thread_of(const StreamStats& stream);
  nlohmann::json thread_json(Thread& thread, const DrawnSpan* first, const DrawnSpan* end,
                             const TimeGrid& grid);

  enum class Known : std::uint8_t { kNo, kYes, kNotAsked };
  std::vector<Known> sites_;  // by number
  std::map<Key, Thread*> threads_;
  std::vector<Thread*> by_stream_;
  std::vector<std::unique_ptr<Thread>> all_;
  // A run is a span whose row is the processor, and whose statement is how it ended.
  LongestSpans longest_{kMostRuns};
  SampleLimits limits_{kMostSampledRuns};
  std::uint64_t runs_ = 0;
  std::uint64_t further_runs_ = 0;  // of threads beyond kMostThreads
  std::uint64_t end_ns_ = 0;
};

}  // namespace ringside::tool
