// `ringcat inspect` for Universal Logger Messages.

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/netlogger/ulm_reader.hpp"
#include "tools/interop/netlogger/ulm_text.hpp"
#include "tools/interop/spilled_text.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace ulm {
namespace {

using netlogger::FieldValue;
using shm::FieldType;

std::string json_float(double number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  return fmt::format("{}", number);
}

// `"NAME": TEXT`; text that is not UTF-8 is also shown in hexadecimal.
std::string json_member(std::string_view name, std::string_view text) {
  std::string member = fmt::format("\"{}\": {}", name, trace::quoted_json_text(text));
  if (is_valid_utf8(text)) return member;
  member += fmt::format(", \"{}_hex\": \"", name);
  for (const char byte : text) member += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return member + '"';
}

std::string json_of(const FieldValue& field) {
  const std::string name = json_member("name", field.name);
  switch (field.type) {
    case FieldType::i64:
      return fmt::format("{{{}, \"type\": \"INT\", \"value\": {}}}", name,
                         static_cast<std::int64_t>(field.bits));
    case FieldType::u64:
      return fmt::format("{{{}, \"type\": \"INT\", \"value\": {}}}", name, field.bits);
    case FieldType::f64:
      return fmt::format("{{{}, \"type\": \"FLOAT\", \"value\": {}, \"bits\": \"{:#018x}\"}}", name,
                         json_float(std::bit_cast<double>(field.bits)), field.bits);
    default:
      return fmt::format("{{{}, \"type\": \"STRING\", {}}}", name,
                         json_member("value", field.text));
  }
}

class Inspection {
 public:
  Inspection(InputBytes& input, InspectStyle style, OutputBytes& output)
      : digest_(input), style_(style), output_(output) {}

  ReadOutcome run(const std::string& name) {
    Reader reader(digest_.bytes());
    Line line;
    if (style_ == InspectStyle::kCsv) lines_.put("offset,length,kind,unix_ns,text\n");
    for (;;) {
      const Step step = reader.next(line);
      if (step == Step::kEnd || step == Step::kCut) break;
      if (style_ == InspectStyle::kJson) {
        step == Step::kEvent ? add_event(line) : add_bad(line, reader.why());
      } else {
        add_line(line, step == Step::kBad ? reader.why() : nullptr);
      }
    }
    ReadOutcome outcome = reader.outcome();
    if (outcome.end == ReadEnd::kRefused) return outcome;
    if (style_ == InspectStyle::kJson) {
      put_document(name, reader, outcome);
    } else {
      lines_.move_to(output_);
    }
    return outcome;
  }

 private:
  void begin_item(SpilledText& list, const Line& line) {
    list.put(fmt::format("{}\n  {{\"offset\": {}, \"length\": {}", list.empty() ? "" : ",",
                         line.offset, line.length));
  }

  void add_event(const Line& line) {
    begin_item(events_, line);
    events_.put(line.unix_ns ? fmt::format(", \"unix_ns\": {}, \"time\": \"{}\"", *line.unix_ns,
                                           iso_time(*line.unix_ns))
                             : ", \"unix_ns\": null, \"time\": null");
    events_.put(", \"fields\": [");
    bool is_first = true;
    for (const FieldValue& field : line.fields) {
      events_.put((is_first ? "" : ", ") + json_of(field));
      is_first = false;
    }
    events_.put("]}");
  }

  void add_bad(const Line& line, std::string_view why) {
    begin_item(bad_, line);
    bad_.put(fmt::format(", \"reason\": {}}}", trace::quoted_json_text(why)));
  }

  // `why`: the error of a bad line, or null.
  void add_line(const Line& line, const char* why) {
    std::string text;
    if (why != nullptr) text = why;
    for (const FieldValue& field : line.fields) {
      if (why != nullptr) break;
      append_name(text, field.name);
      append_text(text, field.text);
    }
    const std::string_view kind = why == nullptr ? "event" : "bad";
    const std::string time = line.unix_ns ? fmt::format("{}", *line.unix_ns) : "";
    if (style_ == InspectStyle::kText) {
      lines_.put(fmt::format("{:>10} {:>5} bytes  {:<5} {:>19}  {}\n", line.offset, line.length,
                             kind, time, trace::visible(text)));
      return;
    }
    std::string cell;
    for (const char character : text) cell += character == '"' ? "\"\"" : std::string(1, character);
    lines_.put(fmt::format("{},{},{},{},\"{}\"\n", line.offset, line.length, kind, time, cell));
  }

  void put_document(const std::string& name, const Reader& reader, const ReadOutcome& outcome) {
    digest_.finish();
    output_.put(fmt::format(
        "{{\n \"schema\": \"ulm-1\",\n \"file\": {},\n \"file_size\": {},\n \"sha256\": \"{}\",\n "
        "\"counts\": {{\"events\": {}, \"bad\": {}}},\n \"events\": [",
        trace::quoted_json_text(DigestedInput::file_name(name)), digest_.size(), digest_.sha256(),
        reader.events(), reader.bad()));
    events_.move_to(output_);
    output_.put("],\n \"bad\": [");
    bad_.move_to(output_);
    output_.put(outcome.message.empty()
                    ? "],\n \"error\": null\n}\n"
                    : fmt::format("],\n \"error\": {{\"offset\": {}, \"message\": {}}}\n}}\n",
                                  outcome.offset, trace::quoted_json_text(outcome.message)));
  }

  DigestedInput digest_;
  InspectStyle style_;
  OutputBytes& output_;
  SpilledText events_;
  SpilledText bad_;
  SpilledText lines_;
};

}  // namespace
}  // namespace ulm

ReadOutcome inspect_ulm(InputBytes& input, InspectStyle style, OutputBytes& output) {
  return ulm::Inspection(input, style, output).run(input.name());
}

}  // namespace ringside::tool
