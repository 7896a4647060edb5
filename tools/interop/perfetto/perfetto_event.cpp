#include "tools/interop/perfetto/perfetto_event.hpp"

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"

namespace ringside::tool::perfetto {
namespace {

using protobuf::Field;
using protobuf::Wire;

class EventReader {
 public:
  EventReader(const InternedEntries& interned, Arguments& arguments, TrackEvent& event)
      : interned_(interned), arguments_(arguments), event_(event) {}

  bool read(std::string_view message) {
    protobuf::Fields fields(message);
    for (Field field; fields.next(field);) {
      if (!take(field)) return false;
    }
    return fields.is_sound();
  }

 private:
  // False: the field's content is invalid.
  bool take(const Field& field) {
    switch (field.number) {
      case track_event::kDebugAnnotations:
        return !field.is_bytes() || arguments_.add(field.bytes, interned_);
      case track_event::kType:
        event_.type = field.value;
        arguments_.key_number('T', field.value);
        return true;
      case track_event::kTrackUuid:
        event_.track = field.value;
        return true;
      case track_event::kNameIid:
        arguments_.key_number('N', field.value);
        event_.name = text_of(Kind::kEventName, field.value);
        return true;
      case track_event::kName:
        add_to_key('n', field.bytes);
        event_.name = field.bytes;
        return true;
      case track_event::kCategoryIids:
        protobuf::for_each_number(field, Wire::kVarint, [this](std::uint64_t number) {
          arguments_.key_number('C', number);
          add_category(text_of(Kind::kCategory, number));
        });
        return true;
      case track_event::kCategories:
        add_to_key('c', field.bytes);
        add_category(field.bytes);
        return true;
      case track_event::kSourceLocationIid:
        take_location(field.value);
        return true;
      case track_event::kSourceLocation: {
        std::uint64_t number = 0;
        event_.own_location = {};
        if (!read_entry(field.bytes, number, event_.own_location)) return false;
        add_to_key('s', field.bytes);
        take_location(event_.own_location);
        return true;
      }
      case track_event::kLegacyEvent:
        return take_legacy(field.bytes);
      case track_event::kLogMessage:
        return take_log(field.bytes);
      default:
        take_number(field);
        return true;
    }
  }

  void take_number(const Field& field) {
    switch (field.number) {
      case track_event::kCounterValue:
        event_.value = {.is_double = false, .integer = field.as_signed(), .number = 0};
        return;
      case track_event::kDoubleCounterValue:
        event_.value = {.is_double = true, .integer = 0, .number = field.as_double()};
        return;
      case track_event::kExtraTracks:
        return append(field, Wire::kVarint, event_.extra_tracks);
      case track_event::kExtraValues:
        return append(field, Wire::kVarint, event_.extra_values);
      case track_event::kExtraDoubleTracks:
        return append(field, Wire::kVarint, event_.extra_double_tracks);
      case track_event::kExtraDoubleValues:
        return append(field, Wire::kFixed64, event_.extra_double_values);
      case track_event::kFlowIds:
        return append(field, Wire::kFixed64, event_.flows);
      case track_event::kOldFlowIds:
        return append(field, Wire::kVarint, event_.flows);
      case track_event::kTerminatingFlowIds:
        return append(field, Wire::kFixed64, event_.ended_flows);
      case track_event::kOldTerminatingFlowIds:
        return append(field, Wire::kVarint, event_.ended_flows);
      case track_event::kCorrelationId:
        event_.correlation = field.value;
        return;
      case track_event::kCorrelationText:
        event_.correlation_text = field.bytes;
        return;
      case track_event::kTimeDeltaUs:
        event_.time_delta_us = field.value;
        return;
      case track_event::kTimeUs:
        event_.time_us = field.value;
        return;
      default:
        return;
    }
  }

  static void append(const Field& field, Wire packed, std::vector<std::uint64_t>& numbers) {
    protobuf::for_each_number(field, packed,
                              [&numbers](std::uint64_t number) { numbers.push_back(number); });
  }

  void add_to_key(char what, std::string_view text) {
    arguments_.key_number(what, text.size());
    arguments_.key(text);
  }

  std::string_view text_of(Kind kind, std::uint64_t number) {
    if (const InternedEntry* const entry = interned_.find(kind, number)) return entry->text;
    ++event_.missing_strings;
    return {};
  }

  void add_category(std::string_view name) {
    if (!event_.category.empty()) event_.category += ',';
    event_.category += name;
  }

  void take_location(std::uint64_t number) {
    arguments_.key_number('S', number);
    const InternedEntry* const entry = interned_.find(Kind::kSourceLocation, number);
    if (entry == nullptr) {
      ++event_.missing_strings;
    } else {
      take_location(*entry);
    }
  }
  void take_location(const InternedEntry& location) {
    event_.file = location.text;
    event_.function = location.function;
    event_.line = location.line;
  }

  bool take_legacy(std::string_view message) {
    protobuf::Fields fields(message);
    for (Field field; fields.next(field);) {
      switch (field.number) {
        case legacy_event::kNameIid:
          arguments_.key_number('N', field.value);
          event_.name = text_of(Kind::kEventName, field.value);
          break;
        case legacy_event::kPhase:
          arguments_.key_number('P', field.value);
          event_.phase = static_cast<std::uint32_t>(field.value);
          break;
        case legacy_event::kDurationUs:
          event_.duration_us = field.value;
          break;
        default:
          break;
      }
    }
    return fields.is_sound();
  }

  bool take_log(std::string_view message) {
    event_.is_log = true;
    protobuf::Fields fields(message);
    for (Field field; fields.next(field);) {
      switch (field.number) {
        case log_message::kSourceLocationIid:
          take_location(field.value);
          break;
        case log_message::kBodyIid:
          event_.log_body = text_of(Kind::kLogBody, field.value);
          break;
        case log_message::kPriority:
          event_.log_priority = field.value;
          break;
        default:
          break;
      }
    }
    arguments_.key_number('L', event_.log_priority);
    return fields.is_sound();
  }

  const InternedEntries& interned_;
  Arguments& arguments_;
  TrackEvent& event_;
};

}  // namespace

void TrackEvent::clear() {
  type = 0;
  track.reset();
  name = file = function = correlation_text = log_body = {};
  category.clear();
  line = phase = 0;
  value.reset();
  for (auto* const numbers : {&extra_tracks, &extra_values, &extra_double_tracks,
                              &extra_double_values, &flows, &ended_flows}) {
    numbers->clear();
  }
  correlation.reset();
  is_log = false;
  log_priority = duration_us = missing_strings = 0;
  time_delta_us.reset();
  time_us.reset();
}

bool read_event(std::string_view message, const InternedEntries& interned, Arguments& arguments,
                TrackEvent& event) {
  arguments.clear();
  event.clear();
  return EventReader(interned, arguments, event).read(message);
}

}  // namespace ringside::tool::perfetto
