#pragma once
// One pass over a trace: the data of all panels of a report.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/query/trace_stats.hpp"
#include "tools/report/activity_part.hpp"
#include "tools/report/compared_trace.hpp"
#include "tools/report/health_part.hpp"
#include "tools/report/heat_part.hpp"
#include "tools/report/known_moments.hpp"
#include "tools/report/number_part.hpp"
#include "tools/report/record_part.hpp"
#include "tools/report/report_section.hpp"
#include "tools/report/schedule_part.hpp"
#include "tools/report/section_fitting.hpp"
#include "tools/report/series_part.hpp"
#include "tools/report/stack_part.hpp"
#include "tools/report/statement_part.hpp"
#include "tools/report/time_grid.hpp"
#include "tools/report/timeline_part.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Not thread-safe. Memory is bounded by the streams and statements, and for each panel.
class ReportBuilder {
 public:
  explicit ReportBuilder(KnownMoments moments = {})
      : moments_(std::move(moments)), records_(moments_) {
    grid_.expect(moments_.last_ns);
  }

  void add(const trace::Event& event);

  // The report tells what changed since another trace. `title`: for people.
  void compare_with(std::unique_ptr<ComparedTrace> before, const std::string& title);

  // Call it once, at the end. Together they fit a page.
  std::vector<ReportSection> sections(const trace::ReadReport& read, const ReportOrigin& origin);

 private:
  std::string summary(const trace::ReadReport& read, const ReportOrigin& origin,
                      std::uint64_t last_ns, const SectionFitting& fitting, unsigned level) const;

  TraceStats stats_{0};
  TimeGrid grid_;
  HealthPart health_;
  StatementPart statements_;
  HeatPart heat_;
  TimelinePart timeline_;
  SchedulePart schedule_;
  SeriesPart series_;
  NumberPart numbers_{heat_, &series_};
  StackPart stacks_;
  KnownMoments moments_;
  RecordPart records_;
  ActivityPart activities_;
  std::unique_ptr<ComparedTrace> before_;  // null: none
  std::string before_title_;
};

}  // namespace ringside::tool
