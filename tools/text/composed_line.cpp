#include "tools/text/composed_line.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tools/text/field_keys.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/json_value.hpp"
#include "tools/text/line_clocks.hpp"
#include "tools/text/line_event.hpp"
#include "tools/text/record_extension_text.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::tool {
namespace {

void append_number(trace::TextSink& out, std::uint64_t number) {
  char* const begin = out.reserve(24);
  out.commit(std::to_chars(begin, begin + 24, number).ptr);
}

// Appends a text unchanged, and any other value as in messages.
void append_field(trace::TextSink& out, const trace::Value& value) {
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

void fill_up(trace::TextSink& out, std::size_t begin, const PartStyle& style) {
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

void apply(trace::TextSink& out, std::size_t begin, const PartStyle& style) {
  if (style.encoding != nullptr) style.encoding(out, begin);
  if (style.width != 0) fill_up(out, begin, style);
}

}  // namespace

LineParts::LineParts(const trace::Event& event, const trace::SiteMessage* message)
    : tick_hz_(event.segment == nullptr ? 0 : event.segment->tick_hz) {
  if (message == nullptr) return;
  format_ = message->format();
  if (message->is_fixed()) {
    trace::TextSink text;
    message->append(text, {});
    fixed_message_ = text.text();
    format_ = nullptr;
  }
  for (const std::string& key : field_keys(*event.record.site, json_text)) {
    keys_.push_back('"' + key + "\":");
  }
}

void LineParts::text(std::string_view text, const PartStyle& style) {
  trace::TextSink out;
  out.write(text);
  apply(out, 0, style);
  text_ += out.text();
}

void LineParts::message(const PartStyle& style) {
  if (format_ == nullptr) return text(fixed_message_, style);
  part(PartKind::kMessage, style);
}

void LineParts::part(PartKind kind, std::size_t field, const PartStyle& style) {
  parts_.push_back(
      {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(field), kind, style});
}

ComposedLine::ComposedLine(LineParts parts)
    : parts_(std::move(parts)), text_bytes_(parts_.text_.size()) {
  parts_.text_.append(trace::TextSink::kSlack, '\0');
  for (const LineParts::Part& part : parts_.parts_) {
    has_arguments_ = has_arguments_ || part.kind == PartKind::kMessage ||
                     part.kind == PartKind::kField || part.kind == PartKind::kFields;
  }
}

void ComposedLine::append(trace::TextSink& out, const LineEvent& event, LineClocks& clocks) const {
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

void ComposedLine::append_part(trace::TextSink& out, const LineParts::Part& part,
                               const LineEvent& event, LineClocks& clocks) const {
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
    default:
      break;
  }
  if (event.extension == nullptr) return;
  const RecordExtensionText extension{*event.extension, parts_.tick_hz_};
  switch (part.kind) {
    case PartKind::kDurationNs:
      return extension.append_duration_ns(out);
    case PartKind::kActivity:
      return extension.append_activity(out);
    case PartKind::kRelated:
      return extension.append_related(out);
    case PartKind::kCut:
      return extension.append_cut(out);
    case PartKind::kExtensionJson:
      return extension.append_json_members(out);
    default:
      return extension.append_pairs(out);
  }
}

void ComposedLine::append_fields(trace::TextSink& out, const LineEvent& event) const {
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

}  // namespace ringside::tool
