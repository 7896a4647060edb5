#pragma once
// Lines that are put together from text that stays and parts that each record brings.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/line_text.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/text_sink.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// How a text becomes part of a line: changes what `out` holds from `begin` on. Null: not at all.
using TextEncoding = void (*)(trace::TextSink& out, std::size_t begin);

enum class PartKind : std::uint8_t {
  kWallTime,      // local time or UTC, for people
  kInternetTime,  // RFC 3339 in UTC
  kUnixNs,
  kSequence,
  kMessage,
  kField,       // as text
  kFields,      // all of them, a JSON object
  kDurationNs,  // empty if the record has none, as all below
  kActivity,
  kRelated,
  kCut,             // "true"
  kExtensionJson,   // the members of a JSON object, each with a comma in front
  kExtensionPairs,  // name=value, each with a blank in front
};

enum class Alignment : std::uint8_t { kLeft, kRight, kCenter };

// How a part stands in its line.
struct PartStyle {
  TextEncoding encoding = nullptr;
  std::uint16_t width = 0;  // filled up with blanks to so many characters
  Alignment alignment = Alignment::kLeft;
};

// What a record line is made of, in order.
class LineParts {
 public:
  // For records of this event's statement and thread; without a message for a loss.
  LineParts(const trace::Event& event, const trace::SiteMessage* message);

  void text(std::string_view text) { text_ += text; }
  void text(std::string_view text, const PartStyle& style);
  void part(PartKind kind, const PartStyle& style = {}) { part(kind, 0, style); }
  void field(std::size_t index, const PartStyle& style) { part(PartKind::kField, index, style); }
  // The message, as text where it is the same for all records.
  void message(const PartStyle& style);

 private:
  friend class ComposedLine;
  struct Part {
    std::uint32_t text_end = 0;  // in text_: what stands in front of the part ends here
    std::uint32_t field = 0;
    PartKind kind = PartKind::kMessage;
    PartStyle style;
  };

  void part(PartKind kind, std::size_t field, const PartStyle& style);

  std::string text_;
  std::vector<Part> parts_;
  std::shared_ptr<const trace::MessageFormat> format_;
  std::string fixed_message_;
  std::vector<std::string> keys_;  // of the fields: "name":
  std::uint64_t tick_hz_ = 0;
};

class ComposedLine final : public LineText {
 public:
  explicit ComposedLine(LineParts parts);

  bool has_arguments() const override { return has_arguments_; }
  void append(trace::TextSink& out, const LineEvent& event, LineClocks& clocks) const override;

 private:
  void append_part(trace::TextSink& out, const LineParts::Part& part, const LineEvent& event,
                   LineClocks& clocks) const;
  void append_fields(trace::TextSink& out, const LineEvent& event) const;

  LineParts parts_;
  std::size_t text_bytes_;
  bool has_arguments_ = false;
};

}  // namespace ringside::tool
