#pragma once
// The timeline of threads and tasks, and the paths of nested spans.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/busy_time.hpp"
#include "tools/report/longest_spans.hpp"
#include "tools/report/path_tree.hpp"
#include "tools/report/report_part.hpp"
#include "tools/report/sampled_runs.hpp"
#include "tools/report/span_stack.hpp"

namespace ringside::tool {

// What is kept of a trace with too many spans: README.md, "Levels of detail".
class TimelinePart final : public ReportPart {
 public:
  static constexpr std::size_t kMostSpans = 140'000;
  static constexpr std::size_t kMostSampledSpans = 30'000;
  static constexpr std::size_t kMostInstants = 50'000;
  // Tasks and substreams with a track of their own; the others share one.
  static constexpr std::size_t kMostTasks = 1'000;
  static constexpr std::size_t kMostTracks = 2'000;  // in the document: those with the most records
  static constexpr std::size_t kMostOpenSpans = 10'000;
  static constexpr std::size_t kMostNameBytes = 250;  // of a task

  void add(const ReportEvent& event) override;

  // README.md, "timeline". Call it at the end. `level`: of SectionFitting.
  nlohmann::json document(const TimeGrid& grid, std::uint64_t last_ns, unsigned level = 0);

  // Of spans: a thread, and below it names that are the numbers of statements; weights in ns. After
  // document().
  const PathTree& paths() const { return paths_; }

 private:
  using OpenKey = std::pair<std::array<std::uint8_t, 16>, std::uint64_t>;  // segment, id
  using TaskKey = std::pair<std::array<std::uint8_t, 16>, std::uint64_t>;  // segment or thread, id
  enum class Kind : std::uint8_t { kThread, kTask, kSubstream, kFurther };

  struct Instant {
    std::uint64_t begin_ns = 0;
    std::uint32_t statement = 0;
  };
  struct Span {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;  // nesting_end_ns()
    std::uint64_t duration_ns = 0;
    std::uint64_t sequence = 0;
    bool is_from_end = false;
    std::uint64_t task = 0;
    std::uint32_t statement = 0;
    std::uint32_t thread = 0;
    OpenKey open;  // of the record of its begin
  };
  struct OpenPath {
    std::uint32_t node = 0;
    std::uint32_t parent = 0;
    std::uint64_t begin_ns = 0;
  };
  struct Track {
    Kind kind = Kind::kThread;
    std::uint32_t number = 0;
    std::uint32_t thread = 0;  // the first one for tasks
    std::uint64_t id = 0;
    std::string name;
    std::uint64_t spans = 0;
    std::uint64_t records = 0;
    SpanStack nesting;
    std::vector<Span> together;  // the latest spans, which begin at the same time
    BusyTime busy;
    GridCounts<std::uint32_t> span_counts;
    GridCounts<std::uint32_t> instant_counts;
    SampledRuns<DrawnSpan> sampled_spans;
    SampledRuns<Instant> sampled_instants;
  };
  Track& track_of(const ReportEvent& event);
  Track& track_of_substream(const ReportEvent& event, std::uint64_t id);
  Track& make_track(Kind kind, std::uint32_t thread, std::uint64_t id);
  void add_span(const ReportEvent& event, Track& track);
  void add_instant(const ReportEvent& event, Track& track);
  bool take_open_id(const ReportEvent& event, std::uint64_t id, bool is_begin);
  void place_together(Track& track, const TimeGrid& grid);
  void place(Track& track, const Span& span, const TimeGrid& grid);
  void finish(const TimeGrid& grid, std::uint64_t last_ns);
  static bool is_outer(const Span& a, const Span& b);
  std::uint32_t path_of(const Span& span, const SpanStack::Place& place);
  static nlohmann::json spans_json(std::span<const DrawnSpan> spans, Track& track,
                                   const TimeGrid& grid, SampleLimits& limits);
  nlohmann::json instants_json(Track& track, const TimeGrid& grid);
  std::vector<DrawnSpan> drawn_spans(const TimeGrid& grid);
  void reduce(unsigned level);

  std::vector<std::unique_ptr<Track>> tracks_;
  std::vector<Track*> threads_;  // by number of the stream
  std::map<TaskKey, Track*> tasks_;
  Track* further_ = nullptr;
  TaskKey latest_task_;
  Track* latest_task_track_ = nullptr;

  LongestSpans longest_{kMostSpans};
  SampleLimits span_limits_{kMostSampledSpans};
  SampleLimits instant_limits_{kMostInstants};
  PathTree paths_;
  std::uint64_t spans_ = 0;
  std::uint64_t instants_ = 0;
  std::uint64_t open_spans_ = 0;
  std::uint64_t crowded_spans_ = 0;  // they lie over others
  std::uint64_t end_ns_ = 0;
  std::vector<OpenPath> open_paths_;

  // Of spans with two records: one of them has been read. The other one follows at once, because
  // both have the time of the begin; what is left has no end.
  std::map<OpenKey, bool> halves_;
};

}  // namespace ringside::tool
