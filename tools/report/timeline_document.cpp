#include <algorithm>
#include <numeric>
#include <tuple>

#include <nlohmann/json.hpp>

#include "tools/report/drawn_json.hpp"
#include "tools/report/halved.hpp"
#include "tools/report/timeline_part.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

std::vector<DrawnSpan> TimelinePart::drawn_spans(const TimeGrid& grid) {
  std::vector<DrawnSpan> spans = longest_.spans();
  if (spans.size() < spans_) {
    for (const auto& track : tracks_) {
      for (const auto& run : track->sampled_spans.runs(grid, span_limits_))
        spans.insert(spans.end(), run.items.begin(), run.items.end());
    }
  }
  const auto key = [](const DrawnSpan& span) {
    return std::tuple(span.track, span.begin_ns, span.number);
  };
  std::sort(spans.begin(), spans.end(),
            [&](const DrawnSpan& a, const DrawnSpan& b) { return key(a) < key(b); });
  const auto end = std::unique(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return a.track == b.track && a.number == b.number;
  });
  spans.erase(end, spans.end());
  return spans;
}

json TimelinePart::spans_json(std::span<const DrawnSpan> spans, Track& track, const TimeGrid& grid,
                              SampleLimits& limits) {
  DeltaTimes begins(grid);
  json durations = json::array();
  json statements = json::array();
  json rows = json::array();
  unsigned most_row = 0;
  for (const DrawnSpan& span : spans) {
    begins.add(span.begin_ns);
    if (span.duration_ns == DrawnSpan::kNoEnd) {
      durations.push_back(-1);
    } else {
      durations.push_back(span.duration_ns);
    }
    statements.push_back(span.statement);
    rows.push_back(span.row);
    most_row = std::max(most_row, span.row);
  }
  json document{{"number", track.spans},
                {"begin", begins.take()},
                {"duration", std::move(durations)},
                {"statement", std::move(statements)},
                {"row", std::move(rows)},
                {"rows", spans.empty() ? 0 : most_row + 1}};
  if (spans.size() < track.spans) {
    document["over_time"] = pairs_json(track.span_counts, grid);
    document["busy"] = pairs_json(track.busy.counts(), grid);
    document["complete"] = complete_json(track.sampled_spans.runs(grid, limits), grid);
  }
  return document;
}

json TimelinePart::instants_json(Track& track, const TimeGrid& grid) {
  DeltaTimes times(grid);
  json statements = json::array();
  std::vector<Instant> late_in_order;
  const auto& runs = track.sampled_instants.runs(grid, instant_limits_);
  for (const auto& run : runs)
    late_in_order.insert(late_in_order.end(), run.items.begin(), run.items.end());
  std::stable_sort(late_in_order.begin(), late_in_order.end(),
                   [](const Instant& a, const Instant& b) { return a.begin_ns < b.begin_ns; });
  for (const Instant& instant : late_in_order) {
    times.add(instant.begin_ns);
    statements.push_back(instant.statement);
  }
  const auto& counts = track.instant_counts.counts(grid);
  const auto number = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  json document{{"number", number}, {"time", times.take()}, {"statement", std::move(statements)}};
  if (late_in_order.size() < number) {
    document["over_time"] = pairs_json(track.instant_counts, grid);
    document["complete"] = complete_json(runs, grid);
  }
  return document;
}

void TimelinePart::reduce(unsigned level) {
  longest_.reduce(halved(kMostSpans, level));
  span_limits_.reduce(halved(kMostSampledSpans, level), [this] {
    for (const auto& each : tracks_) each->sampled_spans.trim(span_limits_);
  });
  instant_limits_.reduce(halved(kMostInstants, level), [this] {
    for (const auto& each : tracks_) each->sampled_instants.trim(instant_limits_);
  });
}

json TimelinePart::document(const TimeGrid& grid, std::uint64_t last_ns, unsigned level) {
  finish(grid, last_ns);
  if (level != 0) reduce(level);
  const std::size_t most_tracks = halved(kMostTracks, level);
  const std::uint64_t least_ns = longest_.least_ns();
  const std::vector<DrawnSpan> spans = drawn_spans(grid);

  std::vector<bool> is_shown(tracks_.size(), true);
  std::vector<std::size_t> numbers(tracks_.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (numbers.size() > most_tracks) {
    std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(most_tracks),
                     numbers.end(), [&](std::size_t a, std::size_t b) {
                       const auto& x = *tracks_[a];
                       const auto& y = *tracks_[b];
                       return std::tuple(y.records, a) < std::tuple(x.records, b);
                     });
    for (std::size_t i = most_tracks; i < numbers.size(); ++i) is_shown[numbers[i]] = false;
  }

  static constexpr std::array<const char*, 4> kKinds{"thread", "task", "substream", "further"};
  json tracks = json::array();
  std::uint64_t further_records = 0;
  std::uint64_t drawn = 0;
  std::uint64_t drawn_instants = 0;
  auto at = spans.begin();
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    Track& track = *tracks_[i];
    const auto first = at;
    while (at != spans.end() && at->track == i) ++at;
    if (!is_shown[i]) {
      further_records += track.records;
      continue;
    }
    drawn += static_cast<std::uint64_t>(at - first);
    json one{{"kind", kKinds[static_cast<std::size_t>(track.kind)]},
             {"stream", track.thread},
             {"records", track.records},
             {"spans", spans_json({first, at}, track, grid, span_limits_)},
             {"instants", instants_json(track, grid)}};
    drawn_instants += one["instants"]["time"].size();
    if (track.id != 0) one["id"] = std::to_string(track.id);
    if (!track.name.empty()) one["name"] = first_bytes(track.name, kMostNameBytes);
    tracks.push_back(std::move(one));
  }
  return {{"end", document_ns(std::max(end_ns_, grid.begin_ns()), grid)},
          {"spans", spans_},
          {"drawn_spans", drawn},
          {"least_duration_ns", least_ns},
          {"open_spans", open_spans_},
          {"crowded_spans", crowded_spans_},
          {"instants", instants_},
          {"drawn_instants", drawn_instants},
          {"further_tracks", tracks_.size() - tracks.size()},
          {"further_records", further_records},
          {"tracks", std::move(tracks)}};
}

}  // namespace ringside::tool
