#include "tools/report/timeline_part.hpp"

#include <algorithm>

#include "shm-layout/record_head.hpp"
#include "tools/interop/event_facts.hpp"
#include "trace-format/reader/open_spans.hpp"

namespace ringside::tool {

namespace {

// A path that has too many neighbours: `node` is its nearest ancestor that the tree has.
constexpr std::uint32_t kLeftOut = std::uint32_t{1} << 31;

std::size_t interval_of(const TimeGrid& grid, std::uint64_t unix_ns) {
  if (unix_ns < grid.begin_ns()) return 0;
  return std::min(static_cast<std::size_t>((unix_ns - grid.begin_ns()) >> grid.shift()),
                  TimeGrid::kIntervals - 1);
}

}  // namespace

void TimelinePart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kRecord || event.place.stream == nullptr) return;
  Track& track = track_of(event);
  ++track.records;
  if (has_duration(event.event) || trace::is_span_begin(event.event)) {
    add_span(event, track);
  } else {
    add_instant(event, track);
  }
}

TimelinePart::Track& TimelinePart::track_of(const ReportEvent& event) {
  const std::uint64_t id = substream_of(event.event);
  if (id != 0) return track_of_substream(event, id);
  const std::uint32_t thread = event.place.stream->number;
  if (thread >= threads_.size()) [[unlikely]]
    threads_.resize(std::size_t{thread} + 1);
  Track*& track = threads_[thread];
  if (track == nullptr) [[unlikely]]
    track = &make_track(Kind::kThread, thread, 0);
  return *track;
}

TimelinePart::Track& TimelinePart::track_of_substream(const ReportEvent& event, std::uint64_t id) {
  const std::uint32_t thread = event.place.stream->number;
  // A task moves between the threads of its process; any other substream belongs to one.
  const trace::RecordContext* const context = event.event.record.context;
  const bool is_task = context != nullptr && context->task == id;
  TaskKey key{event.event.segment->uuid, id};
  if (!is_task) {
    key.first.fill(0);
    key.first[0] = static_cast<std::uint8_t>(thread);
    key.first[1] = static_cast<std::uint8_t>(thread >> 8);
    key.first[2] = static_cast<std::uint8_t>(thread >> 16);
    key.first[3] = static_cast<std::uint8_t>(thread >> 24);
  }
  if (latest_task_track_ != nullptr && key == latest_task_) return *latest_task_track_;
  const auto found = tasks_.find(key);
  Track* track = nullptr;
  if (found != tasks_.end()) {
    track = found->second;
  } else if (tasks_.size() < kMostTasks) {
    track = &make_track(is_task ? Kind::kTask : Kind::kSubstream, thread, id);
    if (is_task) track->name = context->task_name;
    tasks_.emplace(key, track);
  } else {
    if (further_ == nullptr) further_ = &make_track(Kind::kFurther, thread, 0);
    track = further_;
  }
  latest_task_ = key;
  latest_task_track_ = track;
  return *track;
}

TimelinePart::Track& TimelinePart::make_track(Kind kind, std::uint32_t thread, std::uint64_t id) {
  auto track = std::make_unique<Track>();
  track->kind = kind;
  track->number = static_cast<std::uint32_t>(tracks_.size());
  track->thread = thread;
  track->id = id;
  tracks_.push_back(std::move(track));
  return *tracks_.back();
}

void TimelinePart::add_instant(const ReportEvent& event, Track& track) {
  ++instants_;
  track.instant_counts.add(event.grid, event.interval, 1);
  track.sampled_instants.add(event.grid, event.interval,
                             {event.event.unix_ns, event.place.site->number}, instant_limits_);
  while (instant_limits_.items > instant_limits_.most_items) [[unlikely]] {
      instant_limits_.tighten();
      for (const auto& each : tracks_) each->sampled_instants.trim(instant_limits_);
    }
}

// Whether the record is to be placed: not the begin of a span whose other record has been placed.
bool TimelinePart::take_open_id(const ReportEvent& event, std::uint64_t id, bool is_begin) {
  const OpenKey key{event.event.segment->uuid, id};
  const auto found = halves_.find(key);
  if (found != halves_.end()) {
    if (found->second != is_begin) halves_.erase(found);
    return !is_begin;
  }
  if (halves_.size() >= kMostOpenSpans) return !is_begin;
  halves_.emplace(key, is_begin);
  return true;
}

void TimelinePart::add_span(const ReportEvent& event, Track& track) {
  const std::uint64_t begin_ns = event.event.unix_ns;
  const bool is_begin = !has_duration(event.event);
  const auto id = trace::span_id(event.event);
  if (id && !take_open_id(event, *id, is_begin)) return;
  if (!track.together.empty() && track.together.front().begin_ns != begin_ns)
    place_together(track, event.grid);
  Span span{.begin_ns = begin_ns,
            .end_ns = nesting_end_ns(event.event),
            .duration_ns = is_begin ? DrawnSpan::kNoEnd : duration_ns(event.event),
            .sequence = event.event.record.sequence,
            .is_from_end = (event.event.record.ext_flags & shm::kExtFromEnd) != 0,
            .task = substream_of(event.event),
            .statement = event.place.site->number,
            .thread = event.place.stream->number,
            .open = {}};
  if (is_begin && id) span.open = {event.event.segment->uuid, *id};
  track.together.push_back(span);
}

bool TimelinePart::is_outer(const Span& a, const Span& b) {
  if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
  // A clock with long ticks makes many times equal. A service records a span at its end, and the
  // inner one first; an importer, and RS_OPEN_SPAN, the outer one first.
  if (a.is_from_end != b.is_from_end) return b.is_from_end;
  return a.is_from_end ? a.sequence > b.sequence : a.sequence < b.sequence;
}

void TimelinePart::place_together(Track& track, const TimeGrid& grid) {
  if (track.together.size() > 1) {
    std::stable_sort(track.together.begin(), track.together.end(), is_outer);
  }
  for (const Span& span : track.together) {
    if (span.end_ns == DrawnSpan::kNoEnd && !halves_.contains(span.open)) continue;
    place(track, span, grid);
  }
  track.together.clear();
}

void TimelinePart::place(Track& track, const Span& span, const TimeGrid& grid) {
  const bool is_open = span.end_ns == DrawnSpan::kNoEnd;
  const SpanStack::Place place = track.nesting.place_of(span.begin_ns, span.end_ns, span.task);
  track.nesting.open(place, span.end_ns, span.task, path_of(span, place));

  track.busy.add(grid, span.begin_ns, span.end_ns);
  const std::size_t interval = interval_of(grid, span.begin_ns);
  track.span_counts.add(grid, interval, 1);
  const DrawnSpan drawn{.begin_ns = span.begin_ns,
                        .duration_ns = span.duration_ns,
                        .number = track.spans,
                        .track = track.number,
                        .statement = span.statement,
                        .row = place.row};
  ++track.spans;
  ++spans_;
  if (place.is_crowded) ++crowded_spans_;
  if (is_open) {
    ++open_spans_;
  } else {
    end_ns_ = std::max(end_ns_, span.begin_ns + span.duration_ns);
  }
  longest_.add(drawn);
  track.sampled_spans.add(grid, interval, drawn, span_limits_);
  while (span_limits_.items > span_limits_.most_items) [[unlikely]] {
      span_limits_.tighten();
      for (const auto& each : tracks_) each->sampled_spans.trim(span_limits_);
    }
}

std::uint32_t TimelinePart::path_of(const Span& span, const SpanStack::Place& place) {
  const bool is_open = span.end_ns == DrawnSpan::kNoEnd;
  const std::uint64_t duration_ns = is_open ? 0 : span.duration_ns;
  if (place.parent_path != SpanStack::kNoPath && (place.parent_path & kLeftOut) != 0) {
    // The time is part of that of the span around it.
    ++paths_.at(place.parent_path & ~kLeftOut).other_count;
    return place.parent_path;
  }
  std::uint32_t parent = place.parent_path;
  if (parent == SpanStack::kNoPath) {
    parent = paths_.thread(span.thread);
    if (parent == PathTree::kNone) return SpanStack::kNoPath;
    paths_.at(parent).total += duration_ns;
  } else if (!is_open) {
    paths_.at(parent).self -=
        static_cast<std::int64_t>(place.is_all_taken ? duration_ns : place.taken_ns);
  }
  const std::uint32_t node = paths_.child(parent, span.statement);
  if (node == PathTree::kNone) {
    PathTree::Node& known = paths_.at(parent);
    ++known.other_count;
    known.others += duration_ns;
    return parent | kLeftOut;
  }
  PathTree::Node& own = paths_.at(node);
  ++own.count;
  own.total += duration_ns;
  own.self += static_cast<std::int64_t>(duration_ns);
  if (is_open) open_paths_.push_back({node, parent, span.begin_ns});
  return node;
}

void TimelinePart::finish(const TimeGrid& grid, std::uint64_t last_ns) {
  for (const auto& track : tracks_) {
    place_together(*track, grid);
    end_ns_ = std::max(end_ns_, last_ns);
  }
  for (const auto& track : tracks_) track->busy.end_at(grid, end_ns_);
  // Spans without an end last until the end of the trace.
  for (const OpenPath& open : open_paths_) {
    const std::uint64_t duration_ns = end_ns_ > open.begin_ns ? end_ns_ - open.begin_ns : 0;
    paths_.at(open.node).total += duration_ns;
    paths_.at(open.node).self += static_cast<std::int64_t>(duration_ns);
    PathTree::Node& parent = paths_.at(open.parent);
    if (parent.parent == PathTree::kNone) {
      parent.total += duration_ns;
    } else {
      parent.self -= static_cast<std::int64_t>(duration_ns);
    }
  }
  open_paths_.clear();
}

}  // namespace ringside::tool
