#include "tools/report/health_part.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/query/call_cost_report.hpp"
#include "tools/query/clock_report.hpp"
#include "tools/report/halved.hpp"
#include "tools/text/first_bytes.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr std::size_t kMostNotes = 300;
constexpr std::size_t kMostClocks = 1'000;  // of hosts
constexpr std::size_t kMostCosts = 100;
constexpr std::size_t kMostNoteBytes = 2'000;
constexpr std::size_t kLeastNoteBytes = 100;

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
                          const ReportOrigin& origin, const TimeGrid& grid, unsigned level) {
  json intervals = json::array();
  for (const LostInterval& each : lost_.sorted()) {
    json one{{"from", document_ns(each.from_ns, grid)},
             {"to", document_ns(each.to_ns, grid)},
             {"stream", each.stream},
             {"records", each.lost},
             {"cause", trace::loss_cause_token(each.cause)}};
    if (each.joined > 1) one["joined"] = each.joined;
    intervals.push_back(std::move(one));
  }
  std::uint64_t further_notes = read.further_notes;
  const std::size_t most_text = halved(kMostNoteBytes, level, kLeastNoteBytes);
  json notes = json::array();
  const auto add_note = [&](const std::string& note) {
    if (notes.size() == halved(kMostNotes, level)) {
      ++further_notes;
    } else {
      notes.push_back(first_bytes(note, most_text));
    }
  };
  for (const trace::ReadError& note : read.notes) add_note(note.text());
  for (const std::string& note : origin.notes) add_note(note);
  json clocks = clocks_as_json(read.host_clocks);
  const std::size_t hosts = clocks.size();
  if (hosts > halved(kMostClocks, level))
    clocks.erase(clocks.begin() + static_cast<std::ptrdiff_t>(halved(kMostClocks, level)),
                 clocks.end());
  for (json& clock : clocks)
    clock["host"] = first_bytes(clock["host"].get_ref<const std::string&>(), kLeastNoteBytes);
  auto measured = measured_services(read.call_costs, stats);
  const std::size_t services = measured.size();
  measured.resize(std::min(services, halved(kMostCosts, level)));
  json document{{"lost", stats.total().lost},
                {"causes", causes_json(stats.total().by_cause)},
                {"late_records", read.late_records},
                {"damaged_blocks", read.damaged_blocks},
                {"damaged_bytes", read.damaged_bytes},
                {"sections_without_end", read.sections_without_end},
                {"further_clocks", hosts - clocks.size()},
                {"clocks", std::move(clocks)},
                {"notes", std::move(notes)},
                {"further_notes", further_notes},
                {"intervals", std::move(intervals)},
                {"further_intervals", lost_.left_out()}};
  if (!measured.empty()) document["call_costs"] = call_costs_as_json(measured);
  if (services != measured.size()) document["further_call_costs"] = services - measured.size();
  for (const std::string& filter : origin.filters)
    document["filters"].push_back(first_bytes(filter, most_text));
  return document;
}

}  // namespace ringside::tool
