#pragma once
// The table of statements: their counts, and how these change over time.

#include <memory>
#include <vector>

#include "tools/report/report_part.hpp"

namespace ringside::tool {

class StatementPart final : public ReportPart {
 public:
  void add(const ReportEvent& event) override;

  // README.md, "statements". Rows in the order of their numbers in `stats`.
  nlohmann::json document(const TraceStats& stats, const TimeGrid& grid);

 private:
  struct Row {
    GridCounts<std::uint32_t> records;
    std::string function;
  };
  std::vector<std::unique_ptr<Row>> rows_;  // by number
};

}  // namespace ringside::tool
