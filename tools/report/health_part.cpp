#include "tools/report/health_part.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

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
  lost_.add({.from_ns = event.event.since_ns,
             .to_ns = event.event.unix_ns,
             .lost = event.event.lost,
             .stream = event.place.stream->number,
             .cause = event.event.cause});
}

json HealthPart::document(const TraceStats& stats, const trace::ReadReport& read,
                          const ReportOrigin& origin, const TimeGrid& grid) {
  json intervals = json::array();
  for (const LostInterval& each : lost_.take()) {
    json one{{"from", document_ns(each.from_ns, grid)},
             {"to", document_ns(each.to_ns, grid)},
             {"stream", each.stream},
             {"records", each.lost},
             {"cause", trace::loss_cause_token(each.cause)}};
    if (each.joined > 1) one["joined"] = each.joined;
    intervals.push_back(std::move(one));
  }
  json notes = json::array();
  for (const trace::ReadError& note : read.notes) notes.push_back(note.text());
  for (const std::string& note : origin.notes) notes.push_back(note);
  json document{{"lost", stats.total().lost},
                {"causes", causes_json(stats.total().by_cause)},
                {"late_records", read.late_records},
                {"damaged_blocks", read.damaged_blocks},
                {"damaged_bytes", read.damaged_bytes},
                {"sections_without_end", read.sections_without_end},
                {"clocks", clocks_as_json(read.host_clocks)},
                {"notes", std::move(notes)},
                {"further_notes", read.further_notes},
                {"intervals", std::move(intervals)},
                {"further_intervals", lost_.left_out()}};
  if (!origin.filters.empty()) document["filters"] = origin.filters;
  return document;
}

}  // namespace ringside::tool
