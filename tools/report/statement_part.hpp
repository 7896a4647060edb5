#pragma once
// The table of statements: their counts, and how these change over time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/report/report_part.hpp"

namespace ringside::tool {

class StatementPart final : public ReportPart {
 public:
  void add(const ReportEvent& event) override;

  // Hands over what is counted: call it before the data is read.
  void finish(const TimeGrid& grid);

  // README.md, "statements". Rows in the order of their numbers in `stats`. `level`: of
  // SectionFitting.
  std::string document(const TraceStats& stats, const TimeGrid& grid, unsigned level);

  // Records of a statement by interval; null: it has none.
  const std::array<std::uint32_t, TimeGrid::kIntervals>* over_time(std::uint32_t number,
                                                                   const TimeGrid& grid) const {
    if (number >= rows_.size() || rows_[number] == nullptr) return nullptr;
    return &rows_[number]->records.counts(grid);
  }

 private:
  struct Row {
    GridCounts<std::uint32_t> records;
    std::string function;
  };
  nlohmann::json row_json(const SiteStats& site, const TimeGrid& grid, bool is_short);
  void touch(const ReportEvent& event, std::uint32_t number);

  std::vector<std::unique_ptr<Row>> rows_;  // by number
  // Records of the latest interval. The counts of all statements are neighbours here, and only
  // those that have some cost time when an interval ends: traces can have many statements.
  std::vector<std::uint32_t> latest_;   // by number
  std::vector<std::uint32_t> touched_;  // numbers with counts in latest_
  std::size_t interval_ = 0;            // the latest one, of a grid with
  unsigned grid_shift_ = 0;
};

}  // namespace ringside::tool
