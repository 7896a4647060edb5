#include "tools/interop/perfetto/perfetto_event_records.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "shm-layout/level.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/perfetto_own_tokens.hpp"
#include "tools/interop/perfetto/perfetto_printf_types.hpp"

namespace ringside::tool::perfetto {
namespace {

using shm::SiteKind;

// The latest time of a trace: the year 2262.
constexpr std::uint64_t kLastPerfettoNs = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostOpenSlices = 1'000'000;
constexpr std::size_t kMostFactBytes = 8192;  // the builder cuts and reports longer ones
constexpr std::size_t kRememberedBytes = 96;  // of a statement, in addition to its key

constexpr std::string_view kFarTime = "its time became the last possible one, in the year 2262";
constexpr std::string_view kNoTime = "is left out: its time is unknown";
constexpr std::string_view kNoBegin = "is left out: the end of a slice without a beginning";
constexpr std::string_view kManySites =
    "is left out: more than 100000 statements, or more than 128 MiB of them";
constexpr std::string_view kManySlices = "has no duration: more than a million slices are open";
constexpr std::string_view kManyFields = "annotations after the 512th are left out";
constexpr std::string_view kNoStrings = "refers to strings that are not in the trace";
constexpr std::string_view kNoType = "is left out: an event of an unsupported type";

// As a reader of a 128-bit number would read it.
std::array<std::uint8_t, 16> id_of_flow(std::uint64_t flow) {
  std::array<std::uint8_t, 16> id{};
  for (std::size_t i = id.size(); flow != 0; flow >>= 8) id[--i] = static_cast<std::uint8_t>(flow);
  return id;
}

shm::Level level_of_priority(std::uint64_t priority) {
  using enum shm::Level;
  constexpr shm::Level kLevels[] = {kInfo, kInfo,    kTrace, kDebug,
                                    kInfo, kWarning, kError, kCritical};
  return priority < std::size(kLevels) ? kLevels[priority] : kInfo;
}

}  // namespace

bool EventRecords::take(const Packet& packet, std::optional<std::uint64_t> unix_ns,
                        Sequence& sequence, Clocks& clocks) {
  if (!read_event(packet.data, sequence.interned, arguments_, event_)) return false;
  ++events_;
  std::optional<std::uint64_t> time = time_of(packet, unix_ns, sequence, clocks);
  if (!time) {
    report_.lost(kNoTime);
    return true;
  }
  if (*time > kLastPerfettoNs) {
    report_.lost(kFarTime);
    time = kLastPerfettoNs;
  }
  Track& track = track_of(sequence);
  if (sequence.lost != 0) {
    const std::uint32_t stream = tracks_.stream_of(track, sequence.pid);
    order_.add_loss(stream, *time, std::exchange(sequence.lost, 0), sequence.cause);
    sequence.cause = shm::LossCause::kUnknown;
  }
  add(track, *time, sequence);
  if (!event_.extra_values.empty() || !event_.extra_double_values.empty()) {
    add_extra_values(*time, sequence);
  }
  return true;
}

std::optional<std::uint64_t> EventRecords::time_of(const Packet& packet,
                                                   std::optional<std::uint64_t> unix_ns,
                                                   Sequence& sequence, Clocks& clocks) const {
  if (packet.timestamp) return unix_ns;
  std::uint64_t us = 0;
  if (event_.time_delta_us) {
    us = sequence.time_us += *event_.time_delta_us;
  } else if (event_.time_us) {
    us = *event_.time_us;
  } else {
    return std::nullopt;
  }
  return clocks.unix_ns(us * 1000, clock_snapshot::kMonotonic, sequence.clocks);
}

Track& EventRecords::track_of(Sequence& sequence) {
  if (event_.track) return tracks_.of(*event_.track);
  if (sequence.track != 0 || !sequence.is_thread) return tracks_.of(sequence.track);
  return tracks_.of_thread(sequence.thread_pid, sequence.thread_tid);
}

void EventRecords::add(Track& track, std::uint64_t unix_ns, Sequence& sequence) {
  extension_ = arguments_.own().extension;
  const bool was_within_counter = std::exchange(sequence.is_within_counter, false);
  if (event_.type == track_event::kSliceEnd || event_.phase == 'E') {
    return end_slice(track, unix_ns);
  }
  if (!arguments_.own().is_own) add_flows();
  switch (event_.type) {
    case track_event::kSliceBegin:
      return begin_slice(track, unix_ns, sequence);
    case track_event::kInstant:
      if (arguments_.own().is_loss) return add_loss(track, unix_ns);
      return add_record(track, unix_ns, SiteKind::kEvent, sequence);
    case track_event::kCounter:
      if (was_within_counter && sequence.counter_unix_ns == unix_ns && !arguments_.own().is_own &&
          event_.name.empty()) {
        sequence.is_within_counter = true;
        return;
      }
      return add_counter(track, unix_ns, sequence);
    default:
      break;
  }
  switch (event_.phase) {  // of an old event
    case 'B':
      return begin_slice(track, unix_ns, sequence);
    case 'X':
      extension_.ext_flags |= shm::kExtDuration;
      extension_.duration = event_.duration_us * 1000;
      return add_record(track, unix_ns, SiteKind::kSpan, sequence);
    case 'I':
    case 'i':
    case 'R':
      return add_record(track, unix_ns, SiteKind::kEvent, sequence);
    default:
      return report_.lost(kNoType);
  }
}

// Flows beyond those that records have a place for become fields.
void EventRecords::add_flows() {
  const auto take_first = [this](std::vector<std::uint64_t>& flows, std::uint32_t flag,
                                 std::array<std::uint8_t, 16>& id) {
    if (flows.empty()) return;
    extension_.ext_flags |= flag;
    id = id_of_flow(flows.front());
    flows.erase(flows.begin());
  };
  take_first(event_.flows, shm::kExtActivity, extension_.activity);
  take_first(event_.ended_flows, shm::kExtRelatedActivity, extension_.related);
  if (!event_.flows.empty()) arguments_.put_numbers("perfetto.flow_ids", event_.flows);
  if (!event_.ended_flows.empty()) {
    arguments_.put_numbers("perfetto.terminating_flow_ids", event_.ended_flows);
  }
  if (event_.correlation) {
    arguments_.put_number("perfetto.correlation_id", shm::FieldType::u64, *event_.correlation);
  }
  if (!event_.correlation_text.empty()) {
    arguments_.put_text("perfetto.correlation_id", event_.correlation_text);
  }
  if (event_.is_log) arguments_.put_text("message", event_.log_body);
}

void EventRecords::tell_odd() {
  if (arguments_.left_out() != 0) report_.lost(kManyFields);
  if (arguments_.missing_strings() + event_.missing_strings != 0) report_.lost(kNoStrings);
}

SiteDefinition EventRecords::definition_of(const Track& track, SiteKind kind) const {
  const OwnFacts& own = arguments_.own();
  SiteDefinition definition;
  definition.kind = own.kind.empty() ? kind : kind_of(own.kind, kind);
  if (event_.is_log) definition.kind = SiteKind::kLog;
  definition.level =
      own.level.empty() ? level_of_priority(event_.log_priority) : level_of(own.level);
  definition.style = style_of(own.style);
  definition.keywords = own.keywords;
  definition.category = event_.category.substr(0, kMostFactBytes);
  definition.file = event_.file.substr(0, kMostFactBytes);
  definition.function = event_.function.substr(0, kMostFactBytes);
  definition.line = event_.line;
  if (kind == SiteKind::kCounter && !own.is_own) {
    definition.name = definition.format =
        track.name.empty() ? "track " + std::to_string(track.uuid) : track.name;
    if (!event_.name.empty() && track.name.empty()) definition.name = event_.name;
    definition.category = track.counter.category;
    if (!track.counter.unit.empty()) {
      definition.fields.push_back({.name = "perfetto.unit",
                                   .type = shm::FieldType::string,
                                   .constant = track.counter.unit});
    }
    return definition;
  }
  definition.name = own.has_name ? own.name : event_.name;
  definition.format = own.has_format ? own.format : event_.name;
  return definition;
}

SiteChoice EventRecords::site_of(const Track& track, SiteKind kind, Sequence& sequence) {
  arguments_.key_number('K', static_cast<std::uint64_t>(kind));
  const auto found = sequence.sites.find(arguments_.key());
  if (found != sequence.sites.end()) return found->second;
  const SiteChoice choice = sites_.find(definition_of(track, kind), arguments_.fields());
  sequence.sites.emplace(arguments_.key(), choice);
  remembered_bytes_ += arguments_.key().size() + kRememberedBytes;
  return choice;
}

// The site is 0 if the limit is reached.
RecordHead EventRecords::head_of(Track& track, std::uint64_t unix_ns, SiteKind kind,
                                 Sequence& sequence) {
  RecordHead head;
  head.stream = tracks_.stream_of(track, sequence.pid);
  head.unix_ns = unix_ns;
  if (track.kind == TrackKind::kOther && track.uuid != 0 && !arguments_.own().is_own) {
    extension_.ext_flags |= shm::kExtSubstream;
    extension_.substream = track.uuid;
    if (track.is_within_thread && !track.name.empty()) {
      arguments_.put_text("perfetto.track", track.name);
    }
  }
  const SiteChoice choice = site_of(track, kind, sequence);
  head.site = choice.id;
  if (choice.with_name) arguments_.put_text(Sites::kNameField, event_.name);
  values_ = arguments_.values();
  if (choice.converts) {
    convert_values(arguments_.fields(), sites_.definition(choice.id).fields, values_, converted_);
    values_ = converted_.text();
  }
  if (arguments_.was_cut()) extension_.ext_flags |= shm::kExtCut;
  head.extension = extension_;
  if (choice.id == 0) report_.lost(kManySites);
  tell_odd();
  return head;
}

void EventRecords::add_record(Track& track, std::uint64_t unix_ns, SiteKind kind,
                              Sequence& sequence) {
  const RecordHead head = head_of(track, unix_ns, kind, sequence);
  if (head.site != 0) order_.add(head, values_);
}

void EventRecords::begin_slice(Track& track, std::uint64_t unix_ns, Sequence& sequence) {
  const RecordHead head = head_of(track, unix_ns, SiteKind::kSpan, sequence);
  if (head.site == 0 || open_slices_ == kMostOpenSlices) {
    ++track.unopened;
    if (head.site == 0) return;
    report_.lost(kManySlices);
    return order_.add(head, values_);
  }
  ++open_slices_;
  track.open.push_back(order_.open(head, values_));
}

void EventRecords::end_slice(Track& track, std::uint64_t unix_ns) {
  if (track.unopened != 0) {
    --track.unopened;
    return;
  }
  if (track.open.empty()) return report_.lost(kNoBegin);
  const OpenSlice slice = track.open.back();
  track.open.pop_back();
  --open_slices_;
  const auto& more = arguments_.fields();
  if (!more.empty()) {
    const std::uint32_t site = order_.site_of(slice);
    if (site == 0 || sites_.definition(site).fields.size() + more.size() > shm::kMaxFields) {
      report_.lost(kManyFields);
    } else if (const std::uint32_t longer = sites_.extended(site, more); longer != 0) {
      order_.extend(slice, longer, arguments_.values());
    } else {
      report_.lost("annotations of the slice's end are left out: there are too many statements");
    }
    tell_odd();
  }
  order_.close(slice, unix_ns);
}

void EventRecords::add_loss(Track& track, std::uint64_t unix_ns) {
  const OwnFacts& own = arguments_.own();
  order_.add_loss(tracks_.stream_of(track, 0), unix_ns, own.count, cause_of(own.cause));
}

void EventRecords::add_counter(Track& track, std::uint64_t unix_ns, Sequence& sequence) {
  if (arguments_.own().is_own) {
    sequence.is_within_counter = true;
    sequence.counter_unix_ns = unix_ns;
    return add_record(track, unix_ns, SiteKind::kCounter, sequence);
  }
  add_value(track, unix_ns, event_.value.value_or(CounterValue{}), sequence);
}

void EventRecords::add_value(Track& track, std::uint64_t unix_ns, const CounterValue& value,
                             Sequence& sequence) {
  CounterFacts& counter = track.counter;
  arguments_.key_number('U', track.uuid);
  arguments_.key(track.name);
  if (counter.is_incremental && counter.generation != sequence.generation) {
    counter.generation = sequence.generation;
    counter.sum = 0;
    counter.integer_sum = 0;
  }
  if (value.is_double) {
    double number = value.number * static_cast<double>(counter.multiplier);
    if (counter.is_incremental) number = counter.sum += number;
    arguments_.put_number("value", shm::FieldType::f64, std::bit_cast<std::uint64_t>(number));
  } else {
    auto number =
        static_cast<std::uint64_t>(value.integer) * static_cast<std::uint64_t>(counter.multiplier);
    if (counter.is_incremental) number = counter.integer_sum += number;
    arguments_.put_number("value", shm::FieldType::i64, number);
  }
  add_record(track, unix_ns, SiteKind::kCounter, sequence);
}

void EventRecords::add_extra_values(std::uint64_t unix_ns, Sequence& sequence) {
  const auto add_all = [&](const std::vector<std::uint64_t>& values,
                           const std::vector<std::uint64_t>& told,
                           const std::vector<std::uint64_t>& otherwise, bool is_double) {
    const std::vector<std::uint64_t>& tracks = told.empty() ? otherwise : told;
    for (std::size_t i = 0; i < values.size() && i < tracks.size(); ++i) {
      arguments_.clear();
      extension_ = {};
      add_value(tracks_.of(tracks[i]), unix_ns,
                {.is_double = is_double,
                 .integer = static_cast<std::int64_t>(values[i]),
                 .number = std::bit_cast<double>(values[i])},
                sequence);
    }
  };
  // The values must not keep anything else of the event.
  const TrackEvent event = std::exchange(event_, {});
  add_all(event.extra_values, event.extra_tracks, sequence.extra_tracks, false);
  add_all(event.extra_double_values, event.extra_double_tracks, sequence.extra_double_tracks, true);
}

}  // namespace ringside::tool::perfetto
