#include "tools/report/activity_part.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "shm-layout/level.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/event_facts.hpp"
#include "tools/report/halved.hpp"
#include "trace-format/reader/open_spans.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::tool {
namespace {

bool is_slower(std::uint64_t a_ns, std::uint64_t b_ns) {
  return a_ns > b_ns;
}

std::string id_text(const std::array<std::uint8_t, 16>& id) {
  std::string text(trace::kActivityDigits, '\0');
  trace::write_activity(id.data(), text.data());
  return text;
}

}  // namespace

std::size_t ActivityPart::IdHash::operator()(const Id& id) const {
  // Both halves: some programs count in one of them.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, id.data(), 8);
  std::memcpy(&high, id.data() + 8, 8);
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  const std::uint64_t mixed = (low ^ (high * kFactor)) * kFactor;
  return mixed ^ mixed >> 32;
}

bool ActivityPart::Slowest::wants(const Activity& activity) const {
  return heap_.size() < kMostKept || activity.duration_ns() > heap_.front().duration_ns();
}

bool ActivityPart::Slowest::add(Activity activity, Activity* fastest) {
  const auto slower = [](const Activity& a, const Activity& b) {
    return is_slower(a.duration_ns(), b.duration_ns());
  };
  heap_.push_back(std::move(activity));
  std::push_heap(heap_.begin(), heap_.end(), slower);
  if (heap_.size() <= kMostKept) return false;
  std::pop_heap(heap_.begin(), heap_.end(), slower);
  *fastest = std::move(heap_.back());
  heap_.pop_back();
  return true;
}

void ActivityPart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kRecord || event.place.stream == nullptr) return;
  if ((event.event.record.ext_flags & shm::kExtActivity) == 0) [[likely]]
    return add_record_within_span(event);
  ++records_;
  const bool is_begin = trace::is_span_begin(event.event);
  if (is_begin || has_duration(event.event)) {
    open_.open(place_of(event), is_begin ? OpenActivities::kNoEnd : span_end_ns(event.event),
               event.event.record.activity, trace::span_id(event.event).value_or(0));
  }
  add_row(activity_of(event.event), event);
}

OpenActivities::Place ActivityPart::place_of(const ReportEvent& event) {
  OpenActivities::Place place;
  place.thread = event.place.stream->number;
  place.substream = substream_of(event.event);
  if (place.substream == 0) return place;
  const trace::RecordContext* const context = event.event.record.context;
  const bool is_task = context != nullptr && context->task == place.substream;
  place.scope = is_task ? event.event.segment->pid : place.thread;
  return place;
}

// Log calls do not record an activity: it is that of the span which they run in.
void ActivityPart::add_record_within_span(const ReportEvent& event) {
  if (by_id_.empty()) [[likely]]
    return;
  const Id* const id = open_.at(place_of(event), event.event.unix_ns);
  if (id == nullptr) return;
  const auto found = by_id_.find(*id);
  if (found == by_id_.end()) return;  // more than kMostTracked others came since
  ++records_;
  add_row(*found->second, event);
}

ActivityPart::Activity& ActivityPart::activity_of(const trace::Event& event) {
  const Id& id = event.record.activity;
  const Id* const related =
      (event.record.ext_flags & shm::kExtRelatedActivity) != 0 ? &event.record.related : nullptr;
  auto found = by_id_.find(id);
  // A request continues in the activities that came from it.
  if (found == by_id_.end() && related != nullptr) found = by_id_.find(*related);
  Tracked::iterator activity;
  if (found == by_id_.end()) {
    if (tracked_.size() == kMostTracked) {
      for (const Id& old : tracked_.back().ids) by_id_.erase(old);
      end(std::move(tracked_.back()));
      tracked_.pop_back();
    }
    tracked_.emplace_front();
    activity = tracked_.begin();
    ++activities_;
  } else {
    activity = found->second;
    tracked_.splice(tracked_.begin(), tracked_, activity);
  }
  link(id, activity);
  if (related != nullptr) link(*related, activity);
  return *activity;
}

// The first request that an id occurs in has it.
void ActivityPart::link(const Id& id, Tracked::iterator activity) {
  if (activity->ids.size() >= kMostIds) return;
  if (by_id_.try_emplace(id, activity).second) activity->ids.push_back(id);
}

void ActivityPart::add_row(Activity& activity, const ReportEvent& event) {
  const trace::Event& record = event.event;
  const trace::Site& site = *record.record.site;
  const bool is_span = has_duration(record);
  ++activity.records;
  activity.begin_ns = std::min(activity.begin_ns, record.unix_ns);
  activity.end_ns = std::max(activity.end_ns, is_span ? span_end_ns(record) : record.unix_ns);
  if (site.level >= shm::Level::kError && activity.errors++ == 0) ++failed_;
  if (activity.rows.size() == kMostRows) {
    ++activity.left_out;
    return;
  }
  Row row;
  row.unix_ns = record.unix_ns;
  row.sequence = record.record.sequence;
  row.statement = event.place.site->number;
  row.stream = event.place.stream->number;
  row.substream = substream_of(record);
  if (is_span) row.duration_ns = duration_ns(record);
  row.is_begin = trace::is_span_begin(record);
  row.span = trace::span_id(record).value_or(0);
  row.pid = record.segment->pid;
  // Only of what may be kept: an object costs more than all else.
  const bool is_candidate =
      slowest_.wants(activity) || (activity.errors != 0 && with_errors_.wants(activity));
  if (is_candidate && object_bytes_ < kMostObjectBytes) {
    row.object = static_cast<std::uint32_t>(activity.objects.size());
    activity.objects.push_back(objects_.of(record, kMostTextBytes).json);
    activity.object_bytes += activity.objects.back().size();
    object_bytes_ += activity.objects.back().size();
  }
  activity.rows.push_back(row);
}

void ActivityPart::end(Activity activity) {
  Activity left;
  if (!slowest_.wants(activity)) {
    left = std::move(activity);
  } else if (!slowest_.add(std::move(activity), &left)) {
    return;
  }
  Activity fastest;
  if (left.errors == 0 || !with_errors_.wants(left)) {
    fastest = std::move(left);
  } else if (!with_errors_.add(std::move(left), &fastest)) {
    return;
  }
  object_bytes_ -= fastest.object_bytes;
}

// The second record of a span has everything.
void ActivityPart::remove_begins(Activity& activity) {
  const auto has_end = [&activity](const Row& begin) {
    return std::any_of(activity.rows.begin(), activity.rows.end(), [&begin](const Row& row) {
      return !row.is_begin && row.span == begin.span && row.pid == begin.pid;
    });
  };
  std::erase_if(activity.rows, [&has_end](const Row& row) { return row.is_begin && has_end(row); });
}

std::string ActivityPart::activity_json(Activity& activity, const char* reason,
                                        const Detail& detail, const TimeGrid& grid) {
  remove_begins(activity);
  const std::size_t rows = std::min(activity.rows.size(), detail.most_rows);
  std::string ids;
  for (const Id& id : activity.ids) ids += (ids.empty() ? "\"" : ",\"") + id_text(id) + "\"";
  std::string out = fmt::format(
      "{{\"kept_for\":\"{}\",\"ids\":[{}],\"begin\":{},\"duration_ns\":{},\"records\":{},"
      "\"errors\":{},\"left_out\":{},\"rows\":[",
      reason, ids, document_ns(activity.begin_ns, grid), activity.duration_ns(), activity.records,
      activity.errors, activity.left_out + activity.rows.size() - rows);
  std::string_view separator;
  for (const Row& row : std::span(activity.rows).first(rows)) {
    out += fmt::format("{}{{\"at\":{},\"statement\":{},\"stream\":{},\"sequence\":{}", separator,
                       row.unix_ns - activity.begin_ns, row.statement, row.stream, row.sequence);
    if (row.duration_ns != kNoDuration) out += fmt::format(",\"duration_ns\":{}", row.duration_ns);
    if (row.substream != 0) out += fmt::format(",\"substream\":\"{}\"", row.substream);
    if (row.is_begin) out += ",\"open\":true";
    if (detail.has_objects && row.object != kNoObject)
      out += ",\"record\":" + activity.objects[row.object];
    out += '}';
    separator = ",";
  }
  return out + "]}";
}

std::string ActivityPart::document(const TimeGrid& grid, unsigned level) {
  for (Activity& activity : tracked_) end(std::move(activity));
  tracked_.clear();
  by_id_.clear();
  std::string kept;
  const auto append = [&](std::vector<Activity>& activities, const char* reason) {
    std::sort(activities.begin(), activities.end(), [](const Activity& a, const Activity& b) {
      return is_slower(a.duration_ns(), b.duration_ns());
    });
    // First the least slow ones lose their objects, and then all have fewer rows.
    constexpr unsigned kObjectLevels = 6;
    const unsigned row_level = level - std::min(level, kObjectLevels);
    for (std::size_t i = 0; i < activities.size(); ++i) {
      const Detail detail{.has_objects = i < halved(kMostKept, level),
                          .most_rows = halved(kMostRows, row_level)};
      if (!kept.empty()) kept += ",\n";
      kept += activity_json(activities[i], reason, detail, grid);
    }
  };
  append(slowest_.all(), "slowest");
  append(with_errors_.all(), "errors");
  return fmt::format(
      "{{\"activities\":{},\"records\":{},\"with_errors\":{},\"most_records\":{},\"kept\":[{}]}}",
      activities_, records_, failed_, kMostRows, kept);
}

}  // namespace ringside::tool
