#include "tools/interop/nettrace/nettrace_activity_spans.hpp"

#include <algorithm>

#include "shm-layout/record_head.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr std::string_view kNoStop = "a Start event has no duration: its Stop is missing";
constexpr std::string_view kManyOpen =
    "a Start event has no duration: more than 64 MiB of Start and Stop events are without the "
    "other";

bool match(std::string_view task, std::string_view other) {
  return task == other || task.empty() || other.empty();
}

}  // namespace

std::string_view task_of(std::string_view event_name) {
  for (const std::string_view suffix : {"Start", "Stop", "Begin", "End"}) {
    if (event_name.ends_with(suffix)) {
      return event_name.substr(0, event_name.size() - suffix.size());
    }
  }
  return {};
}

void ActivitySpans::start(const ActivityTask& what, HeldStart&& start) {
  Open& open = open_[key_of(what)];
  auto first = open.stops.end();
  for (auto stop = open.stops.begin(); stop != open.stops.end(); ++stop) {
    if (stop->unix_ns < start.unix_ns || !match(stop->task, what.task)) continue;
    if (first == open.stops.end() || stop->unix_ns < first->unix_ns) first = stop;
  }
  if (first != open.stops.end()) {
    const std::uint64_t end = first->unix_ns;
    bytes_ -= bytes_of(*first);
    open.stops.erase(first);
    if (open.starts.empty() && open.stops.empty()) open_.erase(key_of(what));
    return add_span(start, end);
  }
  times_.insert(start.unix_ns);
  open.starts.push_back({std::move(start), std::string(what.task), count_++});
  bytes_ += bytes_of(open.starts.back());
  if (open.starts.size() > kMostOfActivity) {
    const Start oldest = std::move(open.starts.front());
    open.starts.erase(open.starts.begin());
    forget(oldest);
    add(oldest.record);
  }
  check_bytes();
}

// The innermost Start of the task is the latest one.
void ActivitySpans::stop(const ActivityTask& what, std::uint64_t unix_ns) {
  Open& open = open_[key_of(what)];
  auto last = open.starts.end();
  for (auto start = open.starts.begin(); start != open.starts.end(); ++start) {
    if (start->record.unix_ns > unix_ns || !match(start->task, what.task)) continue;
    if (last == open.starts.end() || start->record.unix_ns >= last->record.unix_ns) last = start;
  }
  if (last == open.starts.end()) {
    open.stops.push_back({unix_ns, std::string(what.task)});
    bytes_ += bytes_of(open.stops.back());
    if (open.stops.size() > kMostOfActivity) {
      bytes_ -= bytes_of(open.stops.front());
      open.stops.erase(open.stops.begin());
    }
    return check_bytes();
  }
  Start found = std::move(*last);
  open.starts.erase(last);
  forget(found);
  if (open.starts.empty() && open.stops.empty()) open_.erase(key_of(what));
  add_span(found.record, unix_ns);
}

void ActivitySpans::forget(const Start& start) {
  times_.erase(times_.find(start.record.unix_ns));
  bytes_ -= bytes_of(start);
}

void ActivitySpans::check_bytes() {
  if (bytes_ <= kMostBytes) return;
  if (!times_.empty()) report_.lost(kManyOpen, times_.size());
  end();
}

void ActivitySpans::end() {
  std::vector<Start*> starts;
  for (auto& [key, open] : open_) {
    for (Start& start : open.starts) starts.push_back(&start);
  }
  std::sort(starts.begin(), starts.end(),
            [](const Start* one, const Start* other) { return one->number < other->number; });
  for (const Start* start : starts) add(start->record);
  open_.clear();
  times_.clear();
  bytes_ = 0;
}

void ActivitySpans::add_span(HeldStart& start, std::uint64_t end) {
  start.extension.ext_flags |= shm::kExtDuration;
  start.extension.duration = end - start.unix_ns;
  add(start);
}

void ActivitySpans::add(const HeldStart& start) {
  if ((start.extension.ext_flags & shm::kExtDuration) == 0 && bytes_ <= kMostBytes) {
    report_.lost(kNoStop);
  }
  builder_.begin(start.stream, start.site, start.unix_ns, start.extension);
  builder_.put_values(start.values);
  builder_.end();
}

}  // namespace ringside::tool::nettrace
