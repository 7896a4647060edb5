#pragma once
// Lines that consist of constant text and parts that depend on each record.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/line_text.hpp"
#include "trace-format/reader/record_property.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// How a text is encoded in a line: changes what `out` holds after `begin`. Null: unchanged.
using TextEncoding = void (*)(TextSink& out, std::size_t begin);

enum class PartKind : std::uint8_t {
  kWallTime,      // local time or UTC, for people
  kInternetTime,  // RFC 3339 in UTC
  kUnixNs,
  kSequence,
  kMessage,
  kField,   // as text
  kFields,  // all fields, as a JSON object
  // The processor, empty if the record has none:
  kProcessor,
  kProcessorJson,  // ,"processor":number
  kProcessorPair,  // processor=number, after a blank
  // In a trace of several hosts, empty otherwise:
  kClockErrorJson,  // ,"clock_error_ns":number or null, and if so ,"order_unknown":true
  kOrderPair,       // clock_order=unknown, after a blank, if the event is marked so
  // Of the record's extension, empty if the record has none:
  kProperty,
  kExtensionJson,   // the members of a JSON object, each after a comma
  kExtensionPairs,  // name=value, each after a blank
  kContextPairs,    // context.name=value, each after a blank
  kContextObject,   // the context as a JSON object
  kContextField,    // one field of the context, as text; empty if it has none of that name
};

enum class Alignment : std::uint8_t { kLeft, kRight, kCenter };

// The form of a part in its line.
struct PartStyle {
  TextEncoding encoding = nullptr;
  std::uint16_t width = 0;  // filled with blanks to this many characters
  Alignment alignment = Alignment::kLeft;
};

// The parts of a record's line, in order.
class LineParts {
 public:
  // For records of this event's statement and thread; for a loss, without a message.
  LineParts(const Event& event, const SiteMessage* message);

  void text(std::string_view text) { text_ += text; }
  void text(std::string_view text, const PartStyle& style);
  void part(PartKind kind, const PartStyle& style = {}) { part(kind, 0, style); }
  void field(std::size_t index, const PartStyle& style) { part(PartKind::kField, index, style); }
  // A field of the context, by its full or short name.
  void context_field(const std::string& name, const PartStyle& style) {
    part(PartKind::kContextField, names_.size(), style);
    names_.push_back(name);
  }
  // One of kExtensionProperties; empty if the record does not have it.
  void property(Property property, const PartStyle& style) {
    part(PartKind::kProperty, static_cast<std::size_t>(property), style);
  }
  // `kind`: one of those for the processor.
  void processor(PartKind kind, const PartStyle& style = {});
  // Those of kExtensionProperties that are in `wanted`, see property_bit(), as name=value.
  void pairs(std::uint32_t wanted) { part(PartKind::kExtensionPairs, wanted, {}); }
  // The message; a constant text if it is the same for all records.
  void message(const PartStyle& style);

 private:
  friend class ComposedLine;
  struct Part {
    std::uint32_t text_end = 0;  // in text_: end of the text before the part
    std::uint32_t field = 0;     // or the property, or several, or the index of the name
    PartKind kind = PartKind::kMessage;
    PartStyle style;
  };

  void part(PartKind kind, std::size_t field, const PartStyle& style);

  static constexpr std::uint32_t kNoField = UINT32_MAX;

  std::string text_;
  std::vector<Part> parts_;
  std::shared_ptr<const MessageFormat> format_;
  std::string fixed_message_;
  std::vector<std::string> keys_;   // for the fields: "name":
  std::vector<std::string> names_;  // of fields of contexts
  std::uint64_t tick_hz_ = 0;
  std::optional<std::size_t> processor_field_;  // see trace::processor_field()
};

class ComposedLine final : public LineText {
 public:
  explicit ComposedLine(LineParts parts);

  bool has_arguments() const override { return has_arguments_; }
  void append(TextSink& out, const LineEvent& event, LineClocks& clocks) const override;

 private:
  void append_part(TextSink& out, const LineParts::Part& part, const LineEvent& event,
                   LineClocks& clocks) const;
  static void append_processor(TextSink& out, const LineParts::Part& part, const LineEvent& event);
  void append_fields(TextSink& out, const LineEvent& event) const;

  LineParts parts_;
  std::size_t text_bytes_;
  bool has_arguments_ = false;
};

}  // namespace ringside::trace
