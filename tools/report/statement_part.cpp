#include "tools/report/statement_part.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shm-layout/level.hpp"
#include "tools/report/row_detail.hpp"
#include "tools/text/first_bytes.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr std::size_t kMostStatementBytes = 4'096;
constexpr std::size_t kShortStatementBytes = 60;

}  // namespace

void StatementPart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kRecord) return;
  const std::uint32_t number = event.place.site->number;
  if (event.interval != interval_ || event.grid.shift() != grid_shift_) [[unlikely]] {
    finish(event.grid);
    interval_ = event.interval;
    grid_shift_ = event.grid.shift();
  }
  if (number >= latest_.size()) [[unlikely]]
    latest_.resize(std::size_t{number} + 1);
  if (latest_[number]++ == 0) [[unlikely]]
    touch(event, number);
}

void StatementPart::touch(const ReportEvent& event, std::uint32_t number) {
  touched_.push_back(number);
  if (number >= rows_.size()) rows_.resize(std::size_t{number} + 1);
  if (rows_[number] != nullptr) return;
  rows_[number] = std::make_unique<Row>();
  rows_[number]->function = event.event.record.site->function;
}

// The grid may have become coarser since.
void StatementPart::finish(const TimeGrid& grid) {
  if (touched_.empty()) return;
  const std::size_t interval = interval_ >> (grid.shift() - grid_shift_);
  for (const std::uint32_t number : touched_)
    rows_[number]->records.add(grid, interval, std::exchange(latest_[number], 0));
  touched_.clear();
}

std::string StatementPart::document(const TraceStats& stats, const TimeGrid& grid, unsigned level) {
  // Those that report problems have precedence; then those with the most records.
  std::vector<const SiteStats*> order = stats.sites();
  std::stable_partition(order.begin(), order.end(), [](const SiteStats* site) {
    return static_cast<shm::Level>(site->level) >= shm::Level::kWarning;
  });
  std::vector<std::string> by_number(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const RowDetail detail = row_detail(rank, order.size(), level);
    std::string& row = by_number[order[rank]->number];
    if (detail == RowDetail::kNone) {
      row = "null";
    } else {
      // Texts come from services and need not be UTF-8.
      row = row_json(*order[rank], grid, detail == RowDetail::kShort)
                .dump(-1, ' ', false, json::error_handler_t::replace);
    }
  }
  return fmt::format("[{}]", fmt::join(by_number, ","));
}

json StatementPart::row_json(const SiteStats& site, const TimeGrid& grid, bool is_short) {
  const std::size_t most_text = is_short ? kShortStatementBytes : kMostStatementBytes;
  json row{{"service", first_bytes(site.service, most_text)},
           {"file", first_bytes(site.file, most_text)},
           {"line", site.line},
           {"level", shm::level_name(static_cast<shm::Level>(site.level))},
           {"text", first_bytes(site.text, most_text)},
           {"records", site.records},
           {"ring_bytes", site.ring_bytes},
           {"lost", site.lost}};
  for (std::size_t i = 0; i < site.by_cause.size(); ++i) {
    if (site.by_cause[i] == 0) continue;
    row["by_cause"][std::string(trace::loss_cause_token(static_cast<trace::LossCause>(i)))] =
        site.by_cause[i];
  }
  if (is_short) {
    row["short"] = true;
  } else if (site.number < rows_.size() && rows_[site.number] != nullptr) {
    Row& seen = *rows_[site.number];
    row["function"] = first_bytes(seen.function, most_text);
    // Pairs of an interval and a number: most statements have few.
    json over_time = json::array();
    const auto& counts = seen.records.counts(grid);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) over_time.insert(over_time.end(), {i, counts[i]});
    }
    row["over_time"] = std::move(over_time);
  }
  return row;
}

}  // namespace ringside::tool
