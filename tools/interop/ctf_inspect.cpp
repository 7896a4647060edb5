#include "tools/interop/ctf_inspect.hpp"

#include <string_view>

#include <fmt/format.h>

#include "tools/interop/ctf_trace.hpp"
#include "tools/json_text.hpp"

namespace ringside::tool {
namespace ctf {
namespace {

// Elements of a JSON list, a line each.
class List {
 public:
  List(OutputBytes& output, std::string_view name) : output_(output) {
    output_.put(fmt::format(",\n \"{}\": [", name));
  }
  ~List() { output_.put(empty_ ? "]" : "\n ]"); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  void add(std::string_view element) {
    output_.put(empty_ ? "\n  " : ",\n  ");
    output_.put(element);
    empty_ = false;
  }

 private:
  OutputBytes& output_;
  bool empty_ = true;
};

std::string json_of(const Packet& packet, const std::string& file) {
  return fmt::format(
      "{{\"file\": {}, \"offset\": {}, \"bytes\": {}, \"content_bits\": {}, \"stream_id\": {}, "
      "\"instance\": {}, \"begin_unix_ns\": {}, \"end_unix_ns\": {}, \"discarded\": {}, "
      "\"sequence\": {}}}",
      quoted_json_text(file), packet.offset, packet.bytes, packet.bits, packet.stream_id,
      packet.instance, packet.begin_ns, packet.end_ns, packet.discarded,
      packet.sequence == kNoSequence ? "null" : std::to_string(packet.sequence));
}

void put_json(const Trace& trace, const ReadOutcome& outcome, OutputBytes& output) {
  const Metadata& metadata = trace.metadata();
  output.put(
      fmt::format("{{\n \"schema\": \"ctf-1\",\n \"version\": \"{}.{}\",\n \"uuid\": {},\n "
                  "\"byte_order\": \"{}\"",
                  metadata.major, metadata.minor, quoted_json_text(metadata.uuid),
                  metadata.big_endian ? "be" : "le"));
  {
    List clocks(output, "clocks");
    for (const auto& [name, clock] : metadata.clocks) {
      clocks.add(
          fmt::format("{{\"name\": {}, \"frequency\": {}, \"offset_s\": {}, \"offset\": {}}}",
                      quoted_json_text(name), clock.frequency, clock.offset_s, clock.offset));
    }
  }
  {
    List env(output, "env");
    for (const auto& [name, value] : metadata.env) {
      env.add(fmt::format("{{\"name\": {}, \"value\": {}}}", quoted_json_text(name),
                          quoted_json_text(value)));
    }
  }
  {
    List events(output, "events");
    for (const EventDescription& event : metadata.events) {
      const std::size_t fields = event.fields == nullptr ? 0 : event.fields->members.size();
      events.add(fmt::format(
          "{{\"stream_id\": {}, \"id\": {}, \"name\": {}, \"loglevel\": {}, \"fields\": {}}}",
          event.stream_id, event.id, quoted_json_text(event.name),
          event.loglevel ? std::to_string(*event.loglevel) : "null", fields));
    }
  }
  {
    List packets(output, "packets");
    for (const Packet& packet : trace.packets()) {
      packets.add(json_of(packet, trace.files()[packet.file]));
    }
  }
  output.put(fmt::format(",\n \"error\": {}\n}}\n",
                         outcome.message.empty() ? "null" : quoted_json_text(outcome.message)));
}

void put_csv(const Trace& trace, OutputBytes& output) {
  output.put(
      "file,offset,bytes,content_bits,stream_id,instance,begin_unix_ns,end_unix_ns,discarded\n");
  for (const Packet& packet : trace.packets()) {
    // As RFC 4180 quotes.
    std::string file = "\"";
    for (const char c : trace.files()[packet.file]) file += c == '"' ? "\"\"" : std::string(1, c);
    output.put(fmt::format("{}\",{},{},{},{},{},{},{},{}\n", file, packet.offset, packet.bytes,
                           packet.bits, packet.stream_id, packet.instance, packet.begin_ns,
                           packet.end_ns, packet.discarded));
  }
}

void put_text(const Trace& trace, OutputBytes& output) {
  const Metadata& metadata = trace.metadata();
  output.put(fmt::format("CTF {}.{}, {}: {} kinds of events, {} files\n", metadata.major,
                         metadata.minor, metadata.big_endian ? "big-endian" : "little-endian",
                         metadata.events.size(), trace.files().size()));
  for (const EventDescription& event : metadata.events) {
    output.put(fmt::format("event {:>6} of stream {}  {}\n", event.id, event.stream_id,
                           quoted_json_text(event.name)));
  }
  for (const Packet& packet : trace.packets()) {
    output.put(fmt::format("packet {:>12} {:>9} bytes, {} used, {} discarded so far  {}\n",
                           packet.offset, packet.bytes, (packet.bits + 7) / 8, packet.discarded,
                           quoted_json_text(trace.files()[packet.file])));
  }
}

}  // namespace
}  // namespace ctf

ReadOutcome inspect_ctf(const std::string& path, InspectStyle style, OutputBytes& output) {
  ctf::Trace trace;
  ReadOutcome outcome = trace.open(path);
  if (outcome.end == ReadEnd::kRefused) return outcome;
  if (style == InspectStyle::kJson) ctf::put_json(trace, outcome, output);
  if (style == InspectStyle::kCsv) ctf::put_csv(trace, output);
  if (style == InspectStyle::kText) ctf::put_text(trace, output);
  return outcome;
}

}  // namespace ringside::tool
