#include "tools/report/known_moments.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "trace-format/query/site_check.hpp"
#include "trace-format/reader/collection_history.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

// Contains the last records, unless they have long texts.
constexpr std::uint64_t kEndBytes = 1U << 20;

std::vector<CollectionMoment> changes_of(const std::vector<std::string>& files) {
  trace::CollectionHistory history;
  trace::ReadError error;
  for (const std::string& file : files) {
    if (!history.add(file, &error)) return {};
  }
  history.finish();
  std::vector<CollectionMoment> changes;
  for (const trace::CollectedSegment& segment : history.segments()) {
    for (const trace::CollectedSpan& span : segment.spans) {
      for (std::size_t i = 0; i < span.state.changes.size(); ++i) {
        changes.push_back({span.changes_ns[i], segment.segment->uuid, segment.segment->service,
                           segment.segment->pid, span.state.changes[i]});
      }
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.unix_ns < b.unix_ns; });
  return changes;
}

std::uint64_t begin_of_end(const std::vector<std::string>& paths, trace::ReadOptions reading) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  reading.end_bytes = kEndBytes;
  reading.losses = reading.site_losses = false;
  trace::ReadError error;
  auto end = trace::TraceSet::open(paths, reading, &error);
  if (!end) return kNone;
  std::deque<std::uint64_t> times;
  trace::Event event;
  while (end->next(event)) {
    if (event.kind != trace::EventKind::kRecord) continue;
    times.push_back(event.unix_ns);
    if (times.size() > KnownMoments::kLastRecords) times.pop_front();
  }
  return times.empty() ? kNone : times.front();
}

}  // namespace

KnownMoments KnownMoments::of(const std::vector<std::string>& paths,
                              const trace::ReadOptions& reading) {
  KnownMoments moments;
  // Standard input can be read once.
  if (std::find(paths.begin(), paths.end(), "-") != paths.end()) return moments;
  trace::ReadError error;
  const auto files = trace::query::files_of(paths, &error);
  if (!files) return moments;
  moments.changes = changes_of(*files);
  if (moments.changes.size() > kMostChanges) {
    moments.further_changes = moments.changes.size() - kMostChanges;
    moments.changes.resize(kMostChanges);
  }
  moments.last_from_ns = begin_of_end(paths, reading);
  return moments;
}

}  // namespace ringside::tool
