// `ringcat inspect` for NetLogger's binary messages.

#include <bit>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/netlogger/netlogger_format.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"
#include "tools/interop/netlogger/ulm_text.hpp"
#include "tools/interop/spilled_text.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace netlogger {
namespace {

std::string json_float(double number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  return fmt::format("{}", number);
}

double float_of(const Datum& datum) {
  if (datum.type == kDouble) return std::bit_cast<double>(datum.bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(datum.bits)));
}

std::int64_t signed_of(const Datum& datum) {
  return datum.type == kInt ? static_cast<std::int32_t>(datum.bits)
                            : static_cast<std::int64_t>(datum.bits);
}

// Text that is not UTF-8 is also shown in hexadecimal.
std::string json_text_member(std::string_view text) {
  std::string member = "\"value\": " + trace::quoted_json_text(text);
  if (is_valid_utf8(text)) return member;
  member += ", \"value_hex\": \"";
  for (const char byte : text) {
    fmt::format_to(std::back_inserter(member), "{:02x}", static_cast<unsigned char>(byte));
  }
  return member + '"';
}

std::string json_of(const Datum& datum) {
  switch (datum.type) {
    case kInt:
      return fmt::format("{{\"type\": \"INT\", \"value\": {}}}", signed_of(datum));
    case kInt64:
      return fmt::format("{{\"type\": \"INT64\", \"value\": {}}}", signed_of(datum));
    case kUint32:
      return fmt::format("{{\"type\": \"UINT32\", \"value\": {}}}", datum.bits);
    case kUint64:
      return fmt::format("{{\"type\": \"UINT64\", \"value\": {}}}", datum.bits);
    case kFloat:
      return fmt::format("{{\"type\": \"FLOAT\", \"value\": {}, \"bits\": \"{:#010x}\"}}",
                         json_float(float_of(datum)), datum.bits);
    case kDouble:
      return fmt::format("{{\"type\": \"DOUBLE\", \"value\": {}, \"bits\": \"{:#018x}\"}}",
                         json_float(float_of(datum)), datum.bits);
    default:
      return "{\"type\": \"STRING\", " + json_text_member(datum.text) + "}";
  }
}

void append_ulm(std::string& line, const Datum& datum) {
  switch (datum.type) {
    case kInt:
    case kInt64:
      fmt::format_to(std::back_inserter(line), "{}", signed_of(datum));
      return;
    case kUint32:
    case kUint64:
      fmt::format_to(std::back_inserter(line), "{}", datum.bits);
      return;
    case kFloat:
    case kDouble:
      return ulm::append_float(line, float_of(datum));
    default:
      return ulm::append_text(line, datum.text);
  }
}

std::string ulm_of(const Message& message, std::optional<std::int64_t> unix_ns) {
  std::string line;
  if (unix_ns) ulm::append_date(line, *unix_ns);
  const Definition& definition = *message.definition;
  for (std::size_t i = 0; i < definition.names.size(); ++i) {
    const std::size_t constants = definition.constants.size();
    ulm::append_name(line, definition.names[i]);
    append_ulm(line, i < constants ? definition.constants[i] : message.values[i - constants]);
  }
  return line;
}

template <class List>
std::string json_list(const List& list, std::string (*json)(const typename List::value_type&)) {
  std::string text = "[";
  for (const auto& item : list) {
    if (text.size() > 1) text += ", ";
    text += json(item);
  }
  return text + "]";
}

class Inspection {
 public:
  Inspection(InputBytes& input, InspectStyle style, OutputBytes& output)
      : digest_(input), style_(style), output_(output) {}

  ReadOutcome run(const std::string& name) {
    InputBytes& input = digest_.bytes();
    ReadOutcome outcome;
    Message message;
    if (style_ == InspectStyle::kCsv) lines_.put("offset,length,kind,identifier,unix_ns,text\n");
    std::size_t wanted = 1;
    for (;;) {
      const std::span<const std::byte> bytes = input.peek(wanted);
      if (bytes.empty()) break;
      const Step step = decoder_.take(bytes, message);
      if (step == Step::kMore && bytes.size() < decoder_.wanted() && wanted < decoder_.wanted()) {
        wanted = decoder_.wanted();
        continue;
      }
      if (step == Step::kMore || step == Step::kDamaged) {
        const std::string why =
            step == Step::kDamaged
                ? decoder_.why()
                : "the file ends within this message; it is truncated, or the length is wrong";
        if (headers_ == 0) return ReadOutcome::refused(input.offset(), why);
        outcome = ReadOutcome::damaged(input.offset(), why);
        break;
      }
      add(step, input.offset(), message);
      input.skip(message.length);
      wanted = 1;
    }
    if (style_ == InspectStyle::kJson) {
      put_document(name, outcome);
    } else {
      lines_.move_to(output_);
    }
    return outcome;
  }

 private:
  void add(Step step, std::uint64_t offset, const Message& message) {
    std::uint64_t& count = step == Step::kHeader    ? headers_
                           : step == Step::kBody    ? events_
                           : step == Step::kUnknown ? unknown_
                                                    : bad_;
    SpilledText& list = step == Step::kHeader    ? header_list_
                        : step == Step::kBody    ? event_list_
                        : step == Step::kUnknown ? unknown_list_
                                                 : bad_list_;
    if (style_ != InspectStyle::kJson) {
      add_line(step, offset, message);
    } else {
      list.put(fmt::format("{}\n  {{\"offset\": {}, \"length\": {}, ", count == 0 ? "" : ",",
                           offset, message.length));
      list.put(step == Step::kHeader ? header_members(message) : body_members(step, message));
    }
    ++count;
  }

  static std::string header_members(const Message& message) {
    const Definition& definition = *message.definition;
    const bool little = (definition.arch & kLittleEndian) != 0;
    const std::string names = json_list(definition.names, [](const std::string& name) {
      return "{" + json_text_member(name) + "}";
    });
    return fmt::format(
        "\"major\": {}, \"minor\": {}, \"identifier\": {}, \"arch\": {}, \"endianness\": \"{}\", "
        "\"fields\": {}, \"n_consts\": {}, \"constants\": {}, \"redefinition\": {}}}",
        message.major, message.minor, message.identifier, definition.arch,
        little ? "little" : "big", names, definition.constants.size(),
        json_list(definition.constants, json_of), message.redefinition);
  }

  std::string body_members(Step step, const Message& message) const {
    if (step == Step::kUnknown) return fmt::format("\"identifier\": {}}}", message.identifier);
    if (step == Step::kBad) {
      return fmt::format("\"identifier\": {}, \"reason\": {}}}", message.identifier,
                         trace::quoted_json_text(decoder_.why()));
    }
    const auto unix_ns = unix_ns_of(message.ntp_seconds, message.ntp_fraction);
    return fmt::format(
        "\"major\": {}, \"minor\": {}, \"identifier\": {}, \"ntp_seconds\": {}, \"ntp_fraction\": "
        "{}, \"unix_ns\": {}, \"time\": {}, \"values\": {}, \"ulm\": {}}}",
        message.major, message.minor, message.identifier, message.ntp_seconds, message.ntp_fraction,
        unix_ns ? fmt::format("{}", *unix_ns) : "null",
        unix_ns ? '"' + ulm::iso_time(*unix_ns) + '"' : "null", json_list(message.values, json_of),
        trace::quoted_json_text(ulm_of(message, unix_ns)));
  }

  void add_line(Step step, std::uint64_t offset, const Message& message) {
    static constexpr std::string_view kKinds[] = {"header", "event", "unknown", "bad"};
    const std::string_view kind = kKinds[static_cast<std::size_t>(step)];
    std::string text;
    std::optional<std::int64_t> unix_ns;
    if (step == Step::kHeader) {
      for (const std::string& name : message.definition->names) {
        text += (text.empty() ? "" : " ") + name;
      }
    } else if (step == Step::kBody) {
      unix_ns = unix_ns_of(message.ntp_seconds, message.ntp_fraction);
      text = ulm_of(message, unix_ns);
    } else if (step == Step::kBad) {
      text = decoder_.why();
    }
    if (style_ == InspectStyle::kText) {
      lines_.put(fmt::format("{:>10} {:>5} bytes  {:<7} {:>5}  {}\n", offset, message.length, kind,
                             message.identifier, trace::visible(text)));
      return;
    }
    std::string cell;
    for (const char character : text) cell += character == '"' ? "\"\"" : std::string(1, character);
    lines_.put(fmt::format("{},{},{},{},{},\"{}\"\n", offset, message.length, kind,
                           message.identifier, unix_ns ? fmt::format("{}", *unix_ns) : "", cell));
  }

  void put_document(const std::string& name, const ReadOutcome& outcome) {
    digest_.finish();
    output_.put(fmt::format(
        "{{\n \"schema\": \"netlogger-1\",\n \"file\": {},\n \"file_size\": {},\n \"sha256\": "
        "\"{}\",\n \"counts\": {{\"headers\": {}, \"events\": {}, \"unknown_identifier\": {}, "
        "\"bad\": {}}}",
        trace::quoted_json_text(DigestedInput::file_name(name)), digest_.size(), digest_.sha256(),
        headers_, events_, unknown_, bad_));
    const auto put_list = [this](std::string_view member, SpilledText& list) {
      output_.put(fmt::format(",\n \"{}\": [", member));
      list.move_to(output_);
      output_.put("]");
    };
    put_list("headers", header_list_);
    put_list("events", event_list_);
    put_list("unknown_identifier", unknown_list_);
    put_list("bad", bad_list_);
    output_.put(outcome.message.empty()
                    ? ",\n \"error\": null\n}\n"
                    : fmt::format(",\n \"error\": {{\"offset\": {}, \"message\": {}}}\n}}\n",
                                  outcome.offset, trace::quoted_json_text(outcome.message)));
  }

  DigestedInput digest_;
  InspectStyle style_;
  OutputBytes& output_;
  Decoder decoder_;
  std::uint64_t headers_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t bad_ = 0;
  SpilledText header_list_;
  SpilledText event_list_;
  SpilledText unknown_list_;
  SpilledText bad_list_;
  SpilledText lines_;
};

}  // namespace
}  // namespace netlogger

bool recognise_netlogger(std::span<const std::byte> first_bytes) {
  return netlogger::may_be_header(first_bytes);
}

ReadOutcome inspect_netlogger(InputBytes& input, InspectStyle style, OutputBytes& output) {
  return netlogger::Inspection(input, style, output).run(input.name());
}

}  // namespace ringside::tool
