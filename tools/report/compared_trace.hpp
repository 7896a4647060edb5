#pragma once
// What a comparison needs of a trace. Two ends are compared: before and after.

#include <string>
#include <vector>

#include "tools/report/heat_part.hpp"
#include "tools/report/number_part.hpp"
#include "tools/report/statement_part.hpp"

namespace ringside::tool {

// A trace whose parts belong to others. They follow the grid when they are used.
struct ComparedParts {
  const TraceStats& stats;
  const TimeGrid& grid;
  StatementPart& statements;
  HeatPart& heat;
};

// A trace that is only compared with. Not thread-safe.
class ComparedTrace {
 public:
  void add(const trace::Event& event) {
    const TraceStats::Place place = stats_.add(event);
    const ReportEvent placed{event, place, grid_, grid_.interval(event.unix_ns)};
    statements_.add(placed);
    numbers_.add(placed);
  }

  ComparedParts parts() {
    numbers_.finish(grid_);
    statements_.finish(grid_);
    return {stats_, grid_, statements_, heat_};
  }

 private:
  TraceStats stats_{0};
  TimeGrid grid_;
  StatementPart statements_;
  HeatPart heat_;
  NumberPart numbers_{heat_};
};

}  // namespace ringside::tool
