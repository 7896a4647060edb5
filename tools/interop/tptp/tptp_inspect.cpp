#include "tools/interop/tptp/tptp_inspect.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/spilled_text.hpp"
#include "tools/interop/tptp/tptp_binary_reader.hpp"
#include "tools/interop/tptp/tptp_xml_reader.hpp"
#include "tools/interop/tptp/tptp_xml_text.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool::tptp {
namespace {

// The elements of a JSON array, one by one.
class List {
 public:
  // The buffer for the next element.
  std::string& next() {
    if (count_++ != 0) element_ += ',';
    return element_;
  }
  void end_element() {
    text_.put(element_);
    element_.clear();
  }
  std::uint64_t count() const { return count_; }
  void move_to(OutputBytes& output) { text_.move_to(output); }

 private:
  SpilledText text_;
  std::string element_;
  std::uint64_t count_ = 0;
};

void append_quoted(std::string& out, std::string_view text) {
  out += trace::quoted_json_text(text);
}

template <class Elements, class Append>
void append_array(std::string& out, const Elements& elements, Append&& append) {
  out += '[';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) out += ", ";
    append(elements[i]);
  }
  out += ']';
}

void append_attribute(std::string& out, const Message& message, std::size_t i) {
  switch (message.type->attributes[i].type) {
    case AttributeType::kText:
      return append_quoted(out, message.texts[i]);
    case AttributeType::kTexts:
      return append_array(out, message.frame_methods,
                          [&](std::string_view text) { append_quoted(out, text); });
    case AttributeType::kLongs:
      return append_array(out, message.frame_lines,
                          [&](std::int64_t line) { out += std::to_string(line); });
    case AttributeType::kByte:
    case AttributeType::kInteger:
    case AttributeType::kLong:
      out += std::to_string(message.numbers[i]);
  }
}

void append_json(std::string& out, const Message& message, std::string& scratch) {
  const MessageType& type = *message.type;
  out += fmt::format("\n  {{\"offset\": {}, \"id\": {}, \"size\": {}, \"tag\": \"{}\",",
                     message.offset, type.id, message.bytes, type.tag);
  out += "\n   \"attributes\": {";
  for (std::size_t i = 0; i < type.attributes.size(); ++i) {
    if (i != 0) out += ", ";
    append_quoted(out, type.attributes[i].label);
    out += ": ";
    append_attribute(out, message, i);
  }
  out += "},\n   \"xml\": ";
  scratch.clear();
  append_xml(scratch, message);
  append_quoted(out, scratch);
  if (type.time != MessageType::kNone) {
    out += ", \"time\": \"";
    append_time(out, message.time);
    out += '"';
  }
  if (message.extra_bytes != 0) out += fmt::format(", \"extra_bytes\": {}", message.extra_bytes);
  out += '}';
}

void put_json_head(const BinaryReader& reader, OutputBytes& output) {
  const BinaryHeader& header = reader.header();
  output.put(fmt::format(
      " \"header\": {{\"magic_hex\": \"30544246\", \"major\": {}, \"minor\": {}, \"platform\": {}, "
      "\"endianness\": \"{}\", \"data_offset\": {}}},\n \"encoding\": {},\n \"frequency_hz\": "
      "{},\n",
      header.major, header.minor, header.platform, header.little_endian ? "little" : "big",
      header.data_offset, trace::quoted_json_text(reader.encoding()),
      reader.frequency_hz() ? std::to_string(*reader.frequency_hz()) : "null"));
}

// `binary`: null for XML.
ReadOutcome inspect_as_json(DigestedInput& file, MessageReader& reader, const BinaryReader* binary,
                            OutputBytes& output) {
  List messages;
  List unknown;
  List bad;
  Message message;
  std::string scratch;
  for (Step step = reader.next(message); step != Step::kEnd; step = reader.next(message)) {
    if (step == Step::kMessage) {
      append_json(messages.next(), message, scratch);
      messages.end_element();
      continue;
    }
    const Passed& passed = reader.passed();
    List& list = step == Step::kBad ? bad : unknown;
    std::string& element = list.next();
    element += fmt::format("\n  {{\"offset\": {}, ", passed.offset);
    element += passed.tag.empty() ? fmt::format("\"id\": {}", passed.id)
                                  : fmt::format("\"tag\": {}", trace::quoted_json_text(passed.tag));
    element += fmt::format(", \"size\": {}", passed.bytes);
    if (step == Step::kBad) element += fmt::format(", \"reason\": \"{}\"", passed.what);
    element += '}';
    list.end_element();
  }
  const ReadOutcome& outcome = reader.outcome();
  if (outcome.end == ReadEnd::kRefused) return outcome;
  file.finish();
  output.put(fmt::format(
      "{{\n \"schema\": \"{}\",\n \"file\": {},\n \"file_size\": {},\n \"sha256\": \"{}\",\n "
      "\"counts\": {{\"messages\": {}, \"unknown\": {}, \"bad\": {}}},\n",
      binary != nullptr ? "trcbin-1" : "trcxml-1",
      trace::quoted_json_text(DigestedInput::file_name(file.bytes().name())), file.size(),
      file.sha256(), messages.count(), unknown.count(), bad.count()));
  if (binary != nullptr) put_json_head(*binary, output);
  output.put(" \"messages\": [");
  messages.move_to(output);
  output.put("],\n \"unknown\": [");
  unknown.move_to(output);
  output.put("],\n \"bad\": [");
  bad.move_to(output);
  output.put("],\n \"error\": ");
  output.put(outcome.end == ReadEnd::kWhole
                 ? "null"
                 : fmt::format("{{\"offset\": {}, \"message\": {}}}", outcome.offset,
                               trace::quoted_json_text(outcome.message)));
  output.put("\n}\n");
  return outcome;
}

std::string kind_of(Step step, const Message& message, const Passed& passed) {
  if (step == Step::kMessage) return std::string(message.type->tag);
  if (step == Step::kBad) return fmt::format("bad: {}", passed.what);
  return passed.tag.empty() ? "unknown" : "unknown: " + trace::visible(passed.tag);
}

void put_line_head(const BinaryReader* reader, bool csv, OutputBytes& output) {
  if (csv) return output.put("offset,id,size,tag,time\n");
  if (reader == nullptr) return output.put("XML TPTP trace\n");
  const BinaryHeader& header = reader->header();
  output.put(fmt::format("binary TPTP trace {}.{}, {} bit, {}-endian, data from {}\n", header.major,
                         header.minor, header.platform == 1 ? 64 : 32,
                         header.little_endian ? "little" : "big", header.data_offset));
}

ReadOutcome inspect_as_lines(MessageReader& reader, const BinaryReader* binary, bool csv,
                             OutputBytes& output) {
  Message message;
  std::string line;
  std::string xml;
  bool first = true;
  for (Step step = reader.next(message); step != Step::kEnd; step = reader.next(message)) {
    const bool read = step == Step::kMessage;
    const Passed& passed = reader.passed();
    if (first) put_line_head(binary, csv, output);
    first = false;
    const std::uint64_t offset = read ? message.offset : passed.offset;
    const std::uint64_t bytes = read ? message.bytes : passed.bytes;
    const unsigned id = read ? message.type->id : passed.id;
    line.clear();
    if (csv) {
      line = fmt::format("{},{},{},{},", offset, id, bytes, kind_of(step, message, passed));
      if (read && message.type->time != MessageType::kNone) append_time(line, message.time);
    } else {
      line = fmt::format("{:>12} {:>5} {:>7} bytes  ", offset, id, bytes);
      if (read) {
        xml.clear();
        append_xml(xml, message);
        line += trace::visible(xml);
      } else {
        line += kind_of(step, message, passed);
      }
    }
    line += '\n';
    output.put(line);
  }
  if (first && reader.outcome().end != ReadEnd::kRefused) put_line_head(binary, csv, output);
  return reader.outcome();
}

}  // namespace

bool recognise_binary(std::span<const std::byte> first_bytes) {
  return first_bytes.size() >= kMagic.size() &&
         std::memcmp(first_bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

ReadOutcome inspect_binary(InputBytes& input, InspectStyle style, OutputBytes& output) {
  if (style != InspectStyle::kJson) {
    BinaryReader reader(input);
    return inspect_as_lines(reader, &reader, style == InspectStyle::kCsv, output);
  }
  DigestedInput file(input);
  BinaryReader reader(file.bytes());
  return inspect_as_json(file, reader, &reader, output);
}

ReadOutcome inspect_xml(InputBytes& input, InspectStyle style, OutputBytes& output) {
  if (style != InspectStyle::kJson) {
    XmlReader reader(input);
    return inspect_as_lines(reader, nullptr, style == InspectStyle::kCsv, output);
  }
  DigestedInput file(input);
  XmlReader reader(file.bytes());
  return inspect_as_json(file, reader, nullptr, output);
}

}  // namespace ringside::tool::tptp
