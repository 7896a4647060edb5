#include "tools/report/statement_part.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "shm-layout/level.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {

using nlohmann::json;

void StatementPart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kRecord) return;
  const std::uint32_t number = event.place.site->number;
  if (number >= rows_.size() || rows_[number] == nullptr) [[unlikely]]
    add_row(event, number);
  if (event.interval == interval_ && event.grid.shift() == grid_shift_) [[likely]]
    return;
  if (event.grid.shift() == grid_shift_ && event.interval < interval_) {
    ++rows_[number]->counted;
    return rows_[number]->records.add(event.grid, event.interval, 1);
  }
  count(event.grid, event.place.site);
  interval_ = event.interval;
  grid_shift_ = event.grid.shift();
}

void StatementPart::add_row(const ReportEvent& event, std::uint32_t number) {
  if (number >= rows_.size()) rows_.resize(std::size_t{number} + 1);
  rows_[number] = std::make_unique<Row>();
  rows_[number]->site = event.place.site;
  rows_[number]->function = event.event.record.site->function;
}

// `newest`: its last record is in a later interval. The grid may have become coarser since.
void StatementPart::count(const TimeGrid& grid, const SiteStats* newest) {
  if (grid_shift_ == 0) return;  // there is no interval before the first record
  const std::size_t interval = interval_ >> (grid.shift() - grid_shift_);
  for (const auto& row : rows_) {
    if (row == nullptr) continue;
    const std::uint64_t records = row->site->records - (row->site == newest ? 1 : 0);
    if (records == row->counted) continue;
    row->records.add(grid, interval, static_cast<std::uint32_t>(records - row->counted));
    row->counted = records;
  }
}

json StatementPart::document(const TraceStats& stats, const TimeGrid& grid) {
  std::vector<json> by_number(stats.sites().size());
  for (const SiteStats* const site : stats.sites()) {
    json row{{"service", site->service},
             {"file", site->file},
             {"line", site->line},
             {"level", shm::level_name(static_cast<shm::Level>(site->level))},
             {"text", site->text},
             {"records", site->records},
             {"ring_bytes", site->ring_bytes},
             {"lost", site->lost}};
    for (std::size_t i = 0; i < site->by_cause.size(); ++i) {
      if (site->by_cause[i] == 0) continue;
      row["by_cause"][std::string(trace::loss_cause_token(static_cast<trace::LossCause>(i)))] =
          site->by_cause[i];
    }
    if (site->number < rows_.size() && rows_[site->number] != nullptr) {
      Row& seen = *rows_[site->number];
      row["function"] = seen.function;
      // Pairs of an interval and a number: most statements have few.
      json over_time = json::array();
      const auto& counts = seen.records.counts(grid);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] != 0) over_time.insert(over_time.end(), {i, counts[i]});
      }
      row["over_time"] = std::move(over_time);
    }
    by_number[site->number] = std::move(row);
  }
  return by_number;
}

}  // namespace ringside::tool
