#include "tools/interop/perfetto/perfetto_writer.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/perfetto/perfetto_annotations.hpp"
#include "tools/interop/perfetto/perfetto_callstacks.hpp"
#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/perfetto_own_tokens.hpp"
#include "tools/interop/perfetto/perfetto_packets.hpp"
#include "tools/interop/perfetto/protobuf_encoding.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/lines/record_extension_text.hpp"

namespace ringside::tool {
namespace perfetto {
namespace {

using trace::TextSink;

std::string text_of(const TextSink& sink) {
  return std::string(sink.text());
}

struct FieldFacts {
  std::string name;      // the field name_iid of an annotation
  std::string constant;  // the whole annotation, if the value never changes
  std::string key;
  bool is_counted = false;
};

struct SiteFacts {
  std::string head;  // fields of a TrackEvent: name, category, source
  std::string tail;  // annotations shared by all its records
  std::string name;
  std::vector<FieldFacts> fields;
  std::optional<trace::SiteMessage> message;
  bool is_counter = false;
  bool can_have_stack = false;
};

struct NoMore {};

// The tracks of a thread, a task or a process.
struct Tracks {
  std::uint64_t uuid = 0;
  SpanLanes<NoMore> spans;
  std::vector<std::uint64_t> lanes;  // uuids, except the first lane's; 0: has no track
  std::map<std::pair<std::string, std::string>, std::uint64_t> counters;
};

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report)
      : uncarried_(report, {}), sources_(report), packets_(output, uncarried_) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    if (!begun_ || sites_.is_full() || callstacks_.is_full()) [[unlikely]]
      begin(event.unix_ns);
    const SourceThread& thread = thread_of(event);
    Tracks& own = threads_[thread.index];
    close_spans(own, event.unix_ns);
    if (event.kind == trace::EventKind::kLoss) return add_loss(event, own);
    const EventSources::Track track = sources_.track_of(event, thread);
    Tracks& tracks = tracks_of(track);
    if (&tracks != &own) close_spans(tracks, event.unix_ns);
    task_thread_ = &tracks != &own ? thread.id : 0;
    const SiteFacts& site = sites_.of(event, [this](const trace::Site& s) { return facts_of(s); });
    if (has_duration(event) || trace::is_span_begin(event)) {
      return add_span(event, site, tracks, track.substream);
    }
    if (site.is_counter) return add_counters(event, site, own);
    begin_event(track_event::kInstant, lane_track(tracks, tracks.spans.lane_for(track.substream)));
    event_.write(site.head);
    put_details(event, site);
    end_event(event.unix_ns);
  }

  void use(const std::shared_ptr<const MethodsByProcess>& methods) override {
    callstacks_.use(methods);
  }

  void end() override {
    // Slices of open spans have no end.
    for (Tracks& tracks : threads_) close_spans(tracks, UINT64_MAX - 1);
    uncarried_.tell();
  }

 private:
  // Also called again when there are too many strings: readers then forget them.
  void begin(std::uint64_t unix_ns) {
    sites_.clear();
    strings_.clear();
    callstacks_.clear();
    if (!begun_) packets_.put_clocks(unix_ns);
    begun_ = true;
    packets_.clear_state();
    sequence_name_ = name_field("ringside.sequence");
    processor_name_.clear();
  }

  void begin_event(std::uint64_t type, std::uint64_t track) {
    event_.clear();
    protobuf::put_number(event_, track_event::kType, type);
    protobuf::put_number(event_, track_event::kTrackUuid, track);
  }

  // Perfetto drops events after the end of its 63-bit times.
  void end_event(std::uint64_t unix_ns) {
    if (unix_ns > INT64_MAX) [[unlikely]] {
      uncarried_.count(Fact::kRange);
      unix_ns = INT64_MAX;
    }
    if (!strings_.has_fresh() && !callstacks_.has_fresh()) {
      return packets_.put_event(unix_ns, event_.text(), {});
    }
    packets_.put_event(unix_ns, event_.text(), strings_.take() + callstacks_.take());
  }

  const SourceThread& thread_of(const trace::Event& event) {
    const auto [thread, new_process, new_name] = sources_.of(event);
    if (thread.index >= threads_.size()) threads_.resize(thread.index + std::size_t{1});
    Tracks& tracks = threads_[thread.index];
    if (new_process) packets_.put_process(*thread.process);
    if (new_name) tracks.uuid = packets_.put_thread(thread, tracks.uuid);
    return thread;
  }

  Tracks& tracks_of(const EventSources::Track& track) {
    const SourceThread& source = track.source;
    if (source.index >= threads_.size()) threads_.resize(source.index + std::size_t{1});
    if (track.is_new) threads_[source.index].uuid = packets_.put_task(source);
    return threads_[source.index];
  }

  std::uint64_t lane_track(Tracks& tracks, std::size_t lane) {
    if (lane == 0) return tracks.uuid;
    if (tracks.lanes.size() < lane) tracks.lanes.resize(lane);
    std::uint64_t& uuid = tracks.lanes[lane - 1];
    if (uuid == 0) uuid = packets_.put_child_track(tracks.uuid, tracks.spans.name_of(lane), false);
    return uuid;
  }

  void close_spans(Tracks& tracks, std::uint64_t unix_ns) {
    tracks.spans.close(unix_ns, [&](std::size_t lane, const auto& span) {
      begin_event(track_event::kSliceEnd, lane_track(tracks, lane));
      end_event(span.end);
    });
  }

  void add_span(const trace::Event& event, const SiteFacts& site, Tracks& tracks,
                std::uint64_t substream) {
    const auto place = tracks.spans.place_of(span_end_ns(event), substream);
    tracks.spans.open(place, {});
    if (place.was_cut) uncarried_.count(Fact::kOverlap);
    begin_event(track_event::kSliceBegin, lane_track(tracks, place.lane));
    event_.write(site.head);
    put_details(event, site);
    end_event(event.unix_ns);
  }

  // One track for each number; the record's other facts go with the first.
  void add_counters(const trace::Event& event, const SiteFacts& site, Tracks& tracks) {
    bool first = true;
    for (std::size_t i = 0; i < site.fields.size() && i < event.record.args.size(); ++i) {
      if (!site.fields[i].is_counted) continue;
      std::uint64_t& track = tracks.counters[{site.name, site.fields[i].key}];
      if (track == 0) {
        track = packets_.put_child_track(tracks.uuid, site.name + ' ' + site.fields[i].key, true);
      }
      begin_event(track_event::kCounter, track);
      put_counter_value(event.record.args[i]);
      if (first) {
        event_.write(site.head);
        put_details(event, site);
      }
      first = false;
      end_event(event.unix_ns);
    }
  }

  void put_counter_value(const trace::Value& value) {
    if (const auto integer = value.as_i64()) {
      return protobuf::put_number(event_, track_event::kCounterValue,
                                  static_cast<std::uint64_t>(*integer));
    }
    double number = value.as_f64().value_or(0);
    if (value.type == shm::FieldType::u64) {
      if (value.u64 <= INT64_MAX) {
        return protobuf::put_number(event_, track_event::kCounterValue, value.u64);
      }
      uncarried_.count(Fact::kRange);
      number = static_cast<double>(value.u64);
    }
    protobuf::put_double(event_, track_event::kDoubleCounterValue, number);
  }

  void add_loss(const trace::Event& event, const Tracks& tracks) {
    begin_event(track_event::kInstant, tracks.uuid);
    protobuf::put_number(event_, track_event::kCategoryIids,
                         strings_.number_of(interned_data::kCategories, "ringside"));
    protobuf::put_number(event_, track_event::kNameIid,
                         strings_.number_of(interned_data::kEventNames, "lost records"));
    put_number_annotation("ringside.count", event.lost);
    put_text_annotation("ringside.cause", trace::loss_cause_token(event.cause));
    put_number_annotation("ringside.since_unix_ns", event.since_ns);
    put_number_annotation("ringside.sequence", event.record.sequence);
    end_event(event.unix_ns);
  }

  // Annotations and flows.
  void put_details(const trace::Event& event, const SiteFacts& site) {
    value_.clear();
    value_.write(sequence_name_);
    protobuf::put_number(value_, annotation::kUint, event.record.sequence);
    protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
    if (event.record.processor != 0) put_processor(event.record.processor - 1);
    if (task_thread_ != 0) put_number_annotation("ringside.thread_id", task_thread_);
    event_.write(site.tail);
    if (site.can_have_stack) [[unlikely]] {
      const std::uint64_t callstack = callstacks_.number_of(event);
      if (callstack != 0) protobuf::put_number(event_, track_event::kCallstackIid, callstack);
    }
    for (std::size_t i = 0; i < site.fields.size() && i < event.record.args.size(); ++i) {
      const FieldFacts& field = site.fields[i];
      if (field.constant.empty()) {
        value_.clear();
        value_.write(field.name);
        put_annotation_value(value_, event.record.args[i], uncarried_);
        protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
      } else {
        event_.write(field.constant);
      }
    }
    if (site.message) {
      text_.clear();
      site.message->append(text_, event.record.args);
      put_text_annotation("ringside.message", text_.text());
    }
    if (event.record.ext_flags != 0 || event.record.cut) [[unlikely]]
      put_extension(event);
  }

  void put_processor(std::uint32_t number) {
    if (processor_name_.empty()) processor_name_ = name_field("ringside.processor");
    value_.clear();
    value_.write(processor_name_);
    protobuf::put_number(value_, annotation::kUint, number);
    protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
  }

  void put_extension(const trace::Event& event) {
    const trace::Record& record = event.record;
    const auto has = [&record](std::uint32_t flag) { return (record.ext_flags & flag) != 0; };
    const trace::RecordExtensionText texts(record, event.segment->tick_hz);
    if (has(shm::kExtActivity)) {
      protobuf::put_fixed64(event_, track_event::kFlowIds, flow_id(record.activity));
      text_.clear();
      texts.append(text_, trace::Property::kActivity);
      put_text_annotation("ringside.activity", text_.text());
    }
    if (has(shm::kExtRelatedActivity)) {
      protobuf::put_fixed64(event_, track_event::kFlowIds, flow_id(record.related));
      text_.clear();
      texts.append(text_, trace::Property::kRelated);
      put_text_annotation("ringside.related", text_.text());
    }
    if (has(shm::kExtSubstream)) put_number_annotation("ringside.substream", record.substream);
    if (has(shm::kExtStack)) put_number_annotation("ringside.stack_id", record.stack_id);
    if (record.cut) put_number_annotation("ringside.cut", 1);
  }

  std::string name_field(std::string_view name) {
    TextSink field;
    protobuf::put_number(field, annotation::kNameIid,
                         strings_.number_of(interned_data::kAnnotationNames, name));
    return text_of(field);
  }
  void put_number_annotation(std::string_view name, std::uint64_t number) {
    value_.clear();
    protobuf::put_number(value_, annotation::kNameIid,
                         strings_.number_of(interned_data::kAnnotationNames, name));
    protobuf::put_number(value_, annotation::kUint, number);
    protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
  }
  void put_text_annotation(std::string_view name, std::string_view text) {
    value_.clear();
    protobuf::put_number(value_, annotation::kNameIid,
                         strings_.number_of(interned_data::kAnnotationNames, name));
    put_text(value_, annotation::kString, text, uncarried_);
    protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
  }

  SiteFacts facts_of(const trace::Site& site) {
    SiteFacts facts;
    facts.name = event_name(site);
    TextSink head;
    protobuf::put_number(head, track_event::kNameIid,
                         strings_.number_of(interned_data::kEventNames, facts.name));
    if (!site.category.empty()) {
      protobuf::put_number(head, track_event::kCategoryIids,
                           strings_.number_of(interned_data::kCategories, site.category));
    }
    if (!site.file.empty() || !site.function.empty()) {
      TextSink rest;
      protobuf::put_bytes(rest, interned_data::kFunctionName, valid_utf8(site.function));
      protobuf::put_number(rest, interned_data::kLineNumber, site.line);
      protobuf::put_number(
          head, track_event::kSourceLocationIid,
          strings_.number_of(interned_data::kSourceLocations, site.file, rest.text()));
    }
    facts.head = text_of(head);
    event_.clear();
    put_site_annotations(site);
    facts.tail = text_of(event_);
    put_fields(site, facts);
    return facts;
  }

  void put_site_annotations(const trace::Site& site) {
    put_text_annotation("ringside.level", shm::level_name(site.level));
    put_text_annotation("ringside.kind", kind_name(site.kind));
    if (site.keywords != 0) put_number_annotation("ringside.keywords", site.keywords);
    // The facts that the event's name does not contain.
    if (site.name.empty()) put_text_annotation("ringside.name", {});
    if (site.format != event_name(site)) put_sent_once("ringside.format", site.format);
    const auto style = style_name(static_cast<shm::FormatStyle>(site.style));
    if (!style.empty()) put_text_annotation("ringside.style", style);
  }
  void put_sent_once(std::string_view name, std::string_view text) {
    value_.clear();
    protobuf::put_number(value_, annotation::kNameIid,
                         strings_.number_of(interned_data::kAnnotationNames, name));
    protobuf::put_number(value_, annotation::kStringIid,
                         strings_.number_of(interned_data::kStringValues, text));
    protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
  }

  void put_fields(const trace::Site& site, SiteFacts& facts) {
    std::vector<std::string> keys = trace::field_keys(site, valid_utf8);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      FieldFacts& field = facts.fields.emplace_back();
      field.key = std::move(keys[i]);
      field.name = name_field(field.key);
      field.is_counted = is_counted(site, site.fields[i]);
      facts.can_have_stack = facts.can_have_stack || SampledStacks::is_stack(site.fields[i]);
      facts.is_counter = facts.is_counter || field.is_counted;
      if (!site.fields[i].is_constant()) continue;
      event_.clear();
      value_.clear();
      value_.write(field.name);
      put_annotation_value(value_, site.initial_values[i], uncarried_);
      protobuf::put_bytes(event_, track_event::kDebugAnnotations, value_.text());
      field.constant = text_of(event_);
    }
    if (site.style != static_cast<std::uint8_t>(shm::FormatStyle::none)) {
      facts.message.emplace(site);
    }
  }

  UncarriedFacts uncarried_;
  EventSources sources_;
  Packets packets_;
  PerSite<SiteFacts> sites_;
  InternedStrings strings_;
  Callstacks callstacks_;
  std::deque<Tracks> threads_;     // by index, tasks included
  std::uint32_t task_thread_ = 0;  // that made the present record of a task
  bool begun_ = false;
  std::string sequence_name_;   // the field of an annotation
  std::string processor_name_;  // likewise; empty before the first use
  TextSink event_;
  TextSink value_;
  TextSink text_;
};

}  // namespace
}  // namespace perfetto

std::unique_ptr<TraceWriter> write_perfetto(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<perfetto::Writer>(output, report);
}

}  // namespace ringside::tool
