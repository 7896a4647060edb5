#include "tools/report/known_moments.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/reader/collection_history.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

// The first one contains the last records, unless they are long or of many threads; then the next
// one is tried.
constexpr std::array<std::uint64_t, 2> kEndBytes{1U << 16, 1U << 20};

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

std::deque<std::uint64_t> last_times(const std::vector<std::string>& paths,
                                     const trace::ReadOptions& reading) {
  trace::ReadError error;
  std::deque<std::uint64_t> times;
  auto end = trace::TraceSet::open(paths, reading, &error);
  if (!end) return times;
  trace::Event event;
  while (end->next(event)) {
    if (event.kind != trace::EventKind::kRecord) continue;
    times.push_back(event.unix_ns);
    if (times.size() > KnownMoments::kLastRecords) times.pop_front();
  }
  return times;
}

// Times of the last records, from the first one of them on.
std::deque<std::uint64_t> end_of(const std::vector<std::string>& paths,
                                 trace::ReadOptions reading) {
  reading.losses = reading.site_losses = false;
  std::deque<std::uint64_t> times;
  for (const std::uint64_t bytes : kEndBytes) {
    reading.end_bytes = bytes;
    times = last_times(paths, reading);
    if (times.size() == KnownMoments::kLastRecords) break;
  }
  return times;
}

// By the heads of extents, which nothing checks here.
bool have_many_records(const std::vector<std::string>& files) {
  trace::ReadError error;
  std::uint64_t records = 0;
  for (const std::string& path : files) {
    const auto file = trace::TraceFile::open(path, &error);
    if (file == nullptr) continue;
    trace::BlockReader blocks(*file, 0, file->size(), nullptr);
    trace::Block block;
    while (blocks.next_header(block, trace::kExtentHeaderBytes)) {
      trace::ExtentHeader extent;
      if (block.frame.type != trace::BlockType::kExtent ||
          !trace::ExtentHeader::parse(block.payload, extent))
        continue;
      records += std::min(extent.records, block.frame.payload_bytes);
      if (records > KnownMoments::kManyRecords) return true;
    }
  }
  return false;
}

}  // namespace

KnownMoments KnownMoments::of(const std::vector<std::string>& paths,
                              const trace::ReadOptions& reading, Wanted wanted) {
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
  const std::deque<std::uint64_t> end = end_of(paths, reading);
  if (!end.empty()) moments.last_from_ns = end.front();
  // Late ones are at most a little earlier.
  if (!end.empty() && wanted != Wanted::kFewer) moments.last_ns = end.back();
  moments.has_many_records = wanted == Wanted::kAll && have_many_records(*files);
  return moments;
}

}  // namespace ringside::tool
