#include "trace-format/lines/composed_line.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "trace-format/lines/context_text.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/record_extension_text.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::trace {
namespace {

void append_number(TextSink& out, std::uint64_t number) {
  char* const begin = out.reserve(24);
  out.commit(std::to_chars(begin, begin + 24, number).ptr);
}

// Appends a text unchanged, and any other value as in messages.
void append_field(TextSink& out, const Value& value) {
  switch (value.type) {
    case shm::FieldType::string:
      return out.write(value.text);
    case shm::FieldType::character:
      return out.put(static_cast<char>(value.u64));
    case shm::FieldType::enumeration:
      if (!value.text.empty()) return out.write(value.text);
      break;
    default:
      break;
  }
  write_value(out, value);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

void fill_up(TextSink& out, std::size_t begin, const PartStyle& style) {
  const std::string_view written = out.text().substr(begin);
  const std::size_t wide = characters(written);
  if (wide >= style.width) return;
  const std::size_t missing = style.width - wide;
  const std::size_t in_front = style.alignment == Alignment::kLeft    ? 0
                               : style.alignment == Alignment::kRight ? missing
                                                                      : missing / 2;
  if (in_front != 0) {
    const std::string text(written);
    out.take_back(text.size());
    out.fill(' ', in_front);
    out.write(text);
  }
  out.fill(' ', missing - in_front);
}

void apply(TextSink& out, std::size_t begin, const PartStyle& style) {
  if (style.encoding != nullptr) style.encoding(out, begin);
  if (style.width != 0) fill_up(out, begin, style);
}

void append_clock_error(TextSink& out, const LineEvent& event) {
  if (!event.clock_error_ns) return;
  out.write(",\"clock_error_ns\":");
  if (*event.clock_error_ns == kUnknownClockError) {
    out.write("null");
  } else {
    append_number(out, *event.clock_error_ns);
  }
  if (event.order_unknown) out.write(",\"order_unknown\":true");
}

bool is_of_processor(PartKind kind) {
  return kind == PartKind::kProcessor || kind == PartKind::kProcessorJson ||
         kind == PartKind::kProcessorPair;
}

}  // namespace

LineParts::LineParts(const Event& event, const SiteMessage* message)
    : tick_hz_(event.segment == nullptr ? 0 : event.segment->tick_hz) {
  if (message == nullptr) return;
  processor_field_ = processor_field(*event.record.site);
  format_ = message->format();
  if (message->is_fixed()) {
    TextSink text;
    message->append(text, {});
    fixed_message_ = text.text();
    format_ = nullptr;
  }
  for (const std::string& key : field_keys(*event.record.site, json_text)) {
    keys_.push_back('"' + key + "\":");
  }
}

void LineParts::text(std::string_view text, const PartStyle& style) {
  TextSink out;
  out.write(text);
  apply(out, 0, style);
  text_ += out.text();
}

void LineParts::message(const PartStyle& style) {
  if (format_ == nullptr) return text(fixed_message_, style);
  part(PartKind::kMessage, style);
}

void LineParts::processor(PartKind kind, const PartStyle& style) {
  part(kind, processor_field_.value_or(kNoField), style);
}

void LineParts::part(PartKind kind, std::size_t field, const PartStyle& style) {
  parts_.push_back(
      {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(field), kind, style});
}

ComposedLine::ComposedLine(LineParts parts)
    : parts_(std::move(parts)), text_bytes_(parts_.text_.size()) {
  parts_.text_.append(TextSink::kSlack, '\0');
  for (const LineParts::Part& part : parts_.parts_) {
    has_arguments_ = has_arguments_ || part.kind == PartKind::kMessage ||
                     part.kind == PartKind::kField || part.kind == PartKind::kFields ||
                     (is_of_processor(part.kind) && part.field != LineParts::kNoField);
  }
}

void ComposedLine::append(TextSink& out, const LineEvent& event, LineClocks& clocks) const {
  std::size_t text_begin = 0;
  for (const LineParts::Part& part : parts_.parts_) {
    out.write_padded(parts_.text_.data() + text_begin, part.text_end - text_begin);
    text_begin = part.text_end;
    const std::size_t begin = out.size();
    append_part(out, part, event, clocks);
    apply(out, begin, part.style);
  }
  out.write_padded(parts_.text_.data() + text_begin, text_bytes_ - text_begin);
}

void ComposedLine::append_part(TextSink& out, const LineParts::Part& part, const LineEvent& event,
                               LineClocks& clocks) const {
  switch (part.kind) {
    case PartKind::kWallTime:
      return clocks.wall.append(out, event.unix_ns);
    case PartKind::kInternetTime:
      clocks.internet.append(out, event.unix_ns);
      return out.put('Z');
    case PartKind::kUnixNs:
      return append_number(out, event.unix_ns);
    case PartKind::kSequence:
      return append_number(out, event.sequence);
    case PartKind::kMessage:
      return parts_.format_->append(out, event.args);
    case PartKind::kField:
      if (part.field < event.args.size()) append_field(out, event.args[part.field]);
      return;
    case PartKind::kFields:
      return append_fields(out, event);
    case PartKind::kProcessor:
    case PartKind::kProcessorJson:
    case PartKind::kProcessorPair:
      return append_processor(out, part, event);
    case PartKind::kClockErrorJson:
      return append_clock_error(out, event);
    case PartKind::kOrderPair:
      if (event.order_unknown) out.write(" clock_order=unknown");
      return;
    default:
      break;
  }
  if (event.extension == nullptr) {
    if (part.kind == PartKind::kContextObject) out.write("{}");
    return;
  }
  const RecordExtensionText extension{*event.extension, parts_.tick_hz_};
  switch (part.kind) {
    case PartKind::kProperty:
      return extension.append(out, static_cast<Property>(part.field));
    case PartKind::kExtensionJson:
      extension.append_json_members(out);
      return append_context_json(out, event.context());
    case PartKind::kContextPairs:
      return append_context_pairs(out, event.context(), "context.");
    case PartKind::kContextObject:
      return append_context_object(out, event.context());
    case PartKind::kContextField:
      if (const Value* const value = context_value(event.context(), parts_.names_[part.field])) {
        append_field(out, *value);
      }
      return;
    default:
      return extension.append_pairs(out, part.field);
  }
}

void ComposedLine::append_processor(TextSink& out, const LineParts::Part& part,
                                    const LineEvent& event) {
  PropertySource source;
  source.processor_code = event.processor;
  if (part.field < event.args.size()) source.processor = &event.args[part.field];
  const PropertyValue value = read_property(Property::kProcessor, source);
  if (!value) return;
  if (part.kind == PartKind::kProcessorJson) out.write(",\"processor\":");
  if (part.kind == PartKind::kProcessorPair) out.write(" processor=");
  append_number(out, value.number);
}

void ComposedLine::append_fields(TextSink& out, const LineEvent& event) const {
  out.put('{');
  for (std::size_t i = 0; i < parts_.keys_.size(); ++i) {
    if (i != 0) out.put(',');
    out.write(parts_.keys_[i]);
    if (i < event.args.size()) {
      append_json_value(out, event.args[i]);
    } else {
      out.write("null");
    }
  }
  out.put('}');
}

}  // namespace ringside::trace
