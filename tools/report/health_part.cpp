#include "tools/report/health_part.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/query/call_cost_report.hpp"
#include "tools/query/clock_report.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

json causes_json(const LossTally& tally) {
  json causes = json::object();
  for (std::size_t i = 0; i < tally.size(); ++i) {
    if (tally[i] == 0) continue;
    const auto cause = static_cast<trace::LossCause>(i);
    causes[std::string(trace::loss_cause_token(cause))] = {{"records", tally[i]},
                                                           {"lost", shm::is_lost(cause)}};
  }
  return causes;
}

}  // namespace

void HealthPart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kLoss) return;
  const auto has_more = [](const LostInterval& a, const LostInterval& b) {
    return a.lost > b.lost;
  };
  lost_.push_back({event.event.lost, event.event.since_ns, event.event.unix_ns,
                   event.place.stream->number, event.event.cause});
  std::push_heap(lost_.begin(), lost_.end(), has_more);
  if (lost_.size() <= kMostIntervals) return;
  std::pop_heap(lost_.begin(), lost_.end(), has_more);
  lost_.pop_back();
  ++further_;
}

json HealthPart::document(const TraceStats& stats, const trace::ReadReport& read,
                          const TimeGrid& grid) const {
  json document{{"lost", stats.total().lost},
                {"causes", causes_json(stats.total().by_cause)},
                {"late_records", read.late_records},
                {"damaged_blocks", read.damaged_blocks},
                {"damaged_bytes", read.damaged_bytes},
                {"sections_without_end", read.sections_without_end},
                {"clocks", clocks_as_json(read.host_clocks)},
                {"further_intervals", further_}};
  const auto measured = measured_services(read.call_costs, stats);
  if (!measured.empty()) document["call_costs"] = call_costs_as_json(measured);
  json& notes = document["notes"] = json::array();
  for (const trace::ReadError& note : read.notes) notes.push_back(note.text());
  std::vector<LostInterval> sorted = lost_;
  std::sort(sorted.begin(), sorted.end(), [](const LostInterval& a, const LostInterval& b) {
    return std::tie(a.to_ns, a.stream) < std::tie(b.to_ns, b.stream);
  });
  json& intervals = document["intervals"] = json::array();
  for (const LostInterval& each : sorted) {
    intervals.push_back({{"from", document_ns(each.from_ns, grid)},
                         {"to", document_ns(each.to_ns, grid)},
                         {"stream", each.stream},
                         {"records", each.lost},
                         {"cause", trace::loss_cause_token(each.cause)}});
  }
  return document;
}

}  // namespace ringside::tool
