// `ringcat inspect` of Heph traces.

#include <cmath>
#include <iterator>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/heph/heph_format.hpp"
#include "tools/interop/heph/heph_packets.hpp"
#include "tools/interop/spilled_text.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/utf8.hpp"

namespace ringside::tool {
namespace heph {
namespace {

__extension__ using Wide = unsigned __int128;

struct StreamFacts {
  std::uint32_t id = 0;
  CounterWatch counters;
  std::unordered_set<std::uint64_t> substreams;
};

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

template <class Bytes>
std::string hex(const Bytes& bytes) {
  std::string digits;
  for (const auto byte : bytes) {
    fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(byte));
  }
  return digits;
}

void append_csv_cell(std::string& line, std::string_view text) {
  line += '"';
  for (const char character : text) {
    if (character == '"') line += '"';
    line += character;
  }
  line += '"';
}

class JsonPacket {
 public:
  explicit JsonPacket(std::string& out) : out_(out) {}

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  // Text that is not UTF-8 is also shown in hexadecimal.
  void text_member(std::string_view name, std::string_view text) {
    add(", \"{}\": {}", name, trace::quoted_json_text(text));
    if (!is_utf8(text)) add(", \"{}_hex\": \"{}\"", name, hex(text));
  }

  void attribute(const Attribute& attribute) {
    out_ += "{\"name\": " + trace::quoted_json_text(attribute.name);
    static constexpr std::string_view kNames[] = {"", "u64", "i64", "f64", "string"};
    const std::uint8_t type = attribute.element_type();
    add(", \"type\": \"{}{}\", \"value\": ", kNames[type], attribute.is_array() ? "[]" : "");
    elements(attribute, [&](std::string_view element) { value(type, element); });
    if (type == kFloat) {
      out_ += ", \"bits\": ";
      elements(attribute, [&](std::string_view element) { add("\"{:#018x}\"", bits(element)); });
    }
    out_ += '}';
  }

 private:
  static std::uint64_t bits(std::string_view element) {
    return load_big<std::uint64_t>(reinterpret_cast<const std::byte*>(element.data()));
  }

  template <class Put>
  void elements(const Attribute& attribute, Put&& put) {
    if (!attribute.is_array()) return put(attribute.value);
    out_ += '[';
    std::string_view left = attribute.value;
    for (std::uint32_t i = 0; i < attribute.count; ++i) {
      if (i != 0) out_ += ", ";
      if (attribute.element_type() == kString) {
        put(take_element(left));
      } else {
        put(left.substr(0, 8));
        left.remove_prefix(8);
      }
    }
    out_ += ']';
  }

  void value(std::uint8_t type, std::string_view element) {
    if (type == kString) {
      out_ += trace::quoted_json_text(element);
      return;
    }
    const std::uint64_t number = bits(element);
    if (type == kUnsigned) return add("{}", number);
    if (type == kSigned) return add("{}", static_cast<std::int64_t>(number));
    const auto floating = std::bit_cast<double>(number);
    if (std::isnan(floating)) return add("\"NaN\"");
    if (std::isinf(floating)) return add("\"{}Infinity\"", floating < 0 ? "-" : "");
    const std::string digits = fmt::format("{}", floating);
    out_ += digits;
    if (digits.find_first_of(".e") == std::string::npos) out_ += ".0";
  }

  std::string& out_;
};

// The output for a packet is nine times as large as its attributes.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

class Inspection {
 public:
  Inspection(InputBytes& input, InspectStyle style, OutputBytes& output)
      : digest_(input), style_(style), output_(output) {}

  ReadOutcome run(const std::string& name) {
    EpochSearch search = find_first_epoch(digest_.bytes());
    if (!search.failure.empty()) return ReadOutcome::refused(0, search.failure);
    epoch_ = search.epoch_ns;
    InputBytes& input = search.replay != nullptr ? *search.replay : digest_.bytes();
    PacketReader reader(input);
    Packet packet;
    Step step = reader.next(packet);
    if (step == Step::kDamaged) return ReadOutcome::refused(packet.offset, reader.why());
    if (style_ == InspectStyle::kCsv) {
      output_.put("offset,size,kind,stream,counter,substream,start,end,description\n");
    }
    for (; step == Step::kPacket || step == Step::kBad; step = reader.next(packet)) {
      const char* fault = step == Step::kBad ? reader.why().c_str() : nullptr;
      if (fault == nullptr && packet.is_event) fault = fault_of_attributes(packet.attributes);
      if (fault != nullptr) {
        add_bad(packet, fault);
      } else if (packet.is_event) {
        add_event(packet);
      } else {
        add_metadata(packet);
      }
    }
    ReadOutcome outcome;
    if (step == Step::kDamaged) outcome = ReadOutcome::damaged(packet.offset, reader.why());
    if (bad_count_ != 0) {
      outcome.warnings.push_back(fmt::format("{} bad packets were skipped", bad_count_));
    }
    if (unknown_options_ != 0) {
      outcome.warnings.push_back(fmt::format("{} options are unknown", unknown_options_));
    }
    if (style_ == InspectStyle::kJson) put_document(name, outcome);
    return outcome;
  }

 private:
  void begin_packet(const Packet& packet) {
    line_.clear();
    if (style_ == InspectStyle::kJson) {
      if (!packets_.empty()) line_ = ",";
      fmt::format_to(std::back_inserter(line_), "\n  {{\"offset\": {}, \"size\": {}", packet.offset,
                     packet.size);
    } else if (style_ == InspectStyle::kText) {
      fmt::format_to(std::back_inserter(line_), "{:>10} {:>6} bytes  ", packet.offset, packet.size);
    } else {
      fmt::format_to(std::back_inserter(line_), "{},{},", packet.offset, packet.size);
    }
  }
  void end_packet() {
    line_ += style_ == InspectStyle::kJson ? '}' : '\n';
    put_line();
  }
  void put_line() {
    if (style_ == InspectStyle::kJson) {
      packets_.put(line_);
    } else {
      output_.put(line_);
    }
    line_.clear();
  }

  void add_bad(const Packet& packet, std::string_view why) {
    ++bad_count_;
    if (style_ == InspectStyle::kJson) {
      bad_.put(fmt::format("{}\n  {{\"offset\": {}, \"size\": {}, \"reason\": {}}}",
                           bad_.empty() ? "" : ",", packet.offset, packet.size,
                           trace::quoted_json_text(why)));
      return;
    }
    begin_packet(packet);
    line_ += style_ == InspectStyle::kCsv ? "bad,,,,,," : "bad: ";
    line_ += why;
    end_packet();
  }

  void add_metadata(const Packet& packet) {
    ++metadata_;
    if (packet.is_epoch) {
      epoch_ = packet.epoch_ns;
    } else {
      ++unknown_options_;
    }
    begin_packet(packet);
    JsonPacket json(line_);
    if (style_ == InspectStyle::kJson) {
      json.add(", \"kind\": \"metadata\"");
      json.text_member("option", packet.option);
      json.add(", \"value_hex\": \"{}\"", hex(packet.value));
      if (packet.is_epoch) json.add(", \"epoch_ns\": {}", packet.epoch_ns);
    } else if (style_ == InspectStyle::kText) {
      json.add("metadata {} = ", trace::quoted_json_text(packet.option));
      packet.is_epoch ? json.add("{}", packet.epoch_ns) : json.add("{}", hex(packet.value));
    } else {
      line_ += "metadata,,,,,,";
      append_csv_cell(line_, packet.option);
    }
    end_packet();
  }

  StreamFacts& stream_of(std::uint32_t id) {
    const auto [place, is_new] = stream_places_.try_emplace(id, streams_.size());
    if (is_new) streams_.emplace_back().id = id;
    return streams_[place->second];
  }

  void add_event(const Packet& packet) {
    ++events_;
    if (style_ == InspectStyle::kJson) {
      StreamFacts& stream = stream_of(packet.stream);
      stream.counters.see(packet.counter);
      stream.substreams.insert(packet.substream);
    }
    begin_packet(packet);
    JsonPacket json(line_);
    if (style_ == InspectStyle::kCsv) {
      json.add("event,{},{},{},{},{},", packet.stream, packet.counter, packet.substream,
               packet.start, packet.end);
      append_csv_cell(line_, packet.description);
    } else if (style_ == InspectStyle::kText) {
      json.add("event stream {} counter {} substream {} {} to {} {}", packet.stream, packet.counter,
               packet.substream, packet.start, packet.end,
               trace::quoted_json_text(packet.description));
      put_attributes(packet, json, " ");
    } else {
      json.add(
          ", \"kind\": \"event\", \"stream\": {}, \"counter\": {}, \"substream\": {}, "
          "\"start\": {}, \"end\": {}",
          packet.stream, packet.counter, packet.substream, packet.start, packet.end);
      json.text_member("description", packet.description);
      json.add(", \"attributes\": [");
      put_attributes(packet, json, "");
      json.add("], \"start_unix_ns\": {}, \"end_unix_ns\": {}", unix_ns(packet.start),
               unix_ns(packet.end));
    }
    end_packet();
  }

  void put_attributes(const Packet& packet, JsonPacket& json, std::string_view before) {
    AttributeCursor cursor(packet.attributes);
    Attribute attribute;
    for (bool first = true; cursor.next(attribute); first = false) {
      line_ += first ? before : ", ";
      json.attribute(attribute);
      if (line_.size() > kMostLineBytes) put_line();
    }
  }

  std::string unix_ns(std::uint64_t since_epoch) const {
    return epoch_ ? fmt::format("{}", Wide{*epoch_} + since_epoch) : "null";
  }

  void put_document(const std::string& name, const ReadOutcome& outcome) {
    digest_.finish();
    std::uint64_t missing = 0;
    for (const StreamFacts& stream : streams_) missing += stream.counters.missing;
    output_.put(fmt::format(
        "{{\n \"schema\": \"heph-packets-1\",\n \"file\": {},\n \"size\": {},\n \"sha256\": "
        "\"{}\",\n \"counts\": {{\"metadata\": {}, \"events\": {}, \"bad_packets\": {}, "
        "\"missing\": {}}},\n \"error\": {},\n \"bad_packets\": [",
        trace::quoted_json_text(DigestedInput::file_name(name)), digest_.size(), digest_.sha256(),
        metadata_, events_, bad_count_, missing,
        outcome.message.empty() ? "null"
                                : fmt::format("{{\"offset\": {}, \"message\": {}}}", outcome.offset,
                                              trace::quoted_json_text(outcome.message))));
    bad_.move_to(output_);
    output_.put("],\n \"streams\": {");
    for (bool first = true; const StreamFacts& stream : streams_) {
      const CounterWatch& c = stream.counters;
      output_.put(fmt::format(
          "{}\n  \"{}\": {{\"events\": {}, \"first_counter\": {}, \"last_counter\": {}, "
          "\"missing\": {}, \"late\": {}, \"duplicates\": {}, \"substreams\": {}}}",
          std::exchange(first, false) ? "" : ",", stream.id, c.events, c.first, c.last, c.missing,
          c.late, c.duplicates, stream.substreams.size()));
    }
    output_.put("},\n \"packets\": [");
    packets_.move_to(output_);
    output_.put("]\n}\n");
  }

  DigestedInput digest_;
  InspectStyle style_;
  OutputBytes& output_;
  std::optional<std::uint64_t> epoch_;
  std::uint64_t metadata_ = 0;
  std::uint64_t unknown_options_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t bad_count_ = 0;
  SpilledText packets_;
  SpilledText bad_;
  std::unordered_map<std::uint32_t, std::size_t> stream_places_;
  std::vector<StreamFacts> streams_;
  std::string line_;
};

}  // namespace
}  // namespace heph

bool recognise_heph(std::span<const std::byte> first_bytes) {
  if (first_bytes.size() < 4) return false;
  const auto magic = heph::load_big<std::uint32_t>(first_bytes.data());
  return magic == heph::kMetadataMagic || magic == heph::kEventMagic;
}

ReadOutcome inspect_heph(InputBytes& input, InspectStyle style, OutputBytes& output) {
  return heph::Inspection(input, style, output).run(input.name());
}

}  // namespace ringside::tool
