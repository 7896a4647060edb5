#pragma once
// The banner at the top: what is missing from the trace, how exact its times are, and what log
// calls took.

#include <string>
#include <vector>

#include "tools/report/lost_intervals.hpp"
#include "tools/report/report_part.hpp"
#include "trace-format/blocks/read_report.hpp"

namespace ringside::tool {

// What the command knows of a report, and the events do not say.
struct ReportOrigin {
  std::string title;                 // for people
  std::vector<std::string> filters;  // "--level warning": which records were wanted
  std::vector<std::string> notes;    // what importers reported, and what is not in ReadReport
};

class HealthPart final : public ReportPart {
 public:
  void add(const ReportEvent& event) override;

  // README.md, "health". `level`: of SectionFitting.
  nlohmann::json document(const TraceStats& stats, const trace::ReadReport& read,
                          const ReportOrigin& origin, const TimeGrid& grid, unsigned level);

 private:
  LostIntervals lost_;
};

}  // namespace ringside::tool
