#include "tools/interop/ctf/ctf_inspect.hpp"

#include <string_view>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_session.hpp"
#include "tools/interop/ctf/ctf_trace.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace ctf {
namespace {

// Elements of a JSON list, one per line.
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
      trace::quoted_json_text(file), packet.offset, packet.bytes, packet.bits, packet.stream_id,
      packet.instance, packet.begin_ns, packet.end_ns, packet.discarded,
      packet.sequence == kNoSequence ? "null" : std::to_string(packet.sequence));
}

void put_json(const Trace& trace, const ReadOutcome& outcome, OutputBytes& output) {
  const Metadata& metadata = trace.metadata();
  output.put(
      fmt::format("{{\n \"schema\": \"ctf-1\",\n \"version\": \"{}.{}\",\n \"uuid\": {},\n "
                  "\"byte_order\": \"{}\"",
                  metadata.major, metadata.minor, trace::quoted_json_text(metadata.uuid),
                  metadata.big_endian ? "be" : "le"));
  {
    List clocks(output, "clocks");
    for (const auto& [name, clock] : metadata.clocks) {
      clocks.add(fmt::format(
          "{{\"name\": {}, \"frequency\": {}, \"offset_s\": {}, \"offset\": {}}}",
          trace::quoted_json_text(name), clock.frequency, clock.offset_s, clock.offset));
    }
  }
  {
    List env(output, "env");
    for (const auto& [name, value] : metadata.env) {
      env.add(fmt::format("{{\"name\": {}, \"value\": {}}}", trace::quoted_json_text(name),
                          trace::quoted_json_text(value)));
    }
  }
  {
    List events(output, "events");
    for (const EventDescription& event : metadata.events) {
      const std::size_t fields = event.fields == nullptr ? 0 : event.fields->members.size();
      events.add(fmt::format(
          "{{\"stream_id\": {}, \"id\": {}, \"name\": {}, \"loglevel\": {}, \"fields\": {}}}",
          event.stream_id, event.id, trace::quoted_json_text(event.name),
          event.loglevel ? std::to_string(*event.loglevel) : "null", fields));
    }
  }
  {
    List packets(output, "packets");
    for (const Packet& packet : trace.packets()) {
      packets.add(json_of(packet, trace.files()[packet.file]));
    }
  }
  output.put(fmt::format(",\n \"error\": {}\n}}", outcome.message.empty()
                                                      ? "null"
                                                      : trace::quoted_json_text(outcome.message)));
}

void put_csv(const Trace& trace, const std::string& prefix, OutputBytes& output) {
  for (const Packet& packet : trace.packets()) {
    // Quoted as in RFC 4180.
    std::string file = "\"";
    for (const char c : prefix + trace.files()[packet.file])
      file += c == '"' ? "\"\"" : std::string(1, c);
    output.put(fmt::format("{}\",{},{},{},{},{},{},{},{}\n", file, packet.offset, packet.bytes,
                           packet.bits, packet.stream_id, packet.instance, packet.begin_ns,
                           packet.end_ns, packet.discarded));
  }
}

void put_text(const Trace& trace, const std::string& prefix, OutputBytes& output) {
  const Metadata& metadata = trace.metadata();
  if (!prefix.empty()) output.put(trace::quoted_json_text(prefix) + ": ");
  output.put(fmt::format("CTF {}.{}, {}: {} kinds of events, {} files\n", metadata.major,
                         metadata.minor, metadata.big_endian ? "big-endian" : "little-endian",
                         metadata.events.size(), trace.files().size()));
  for (const EventDescription& event : metadata.events) {
    output.put(fmt::format("event {:>6} of stream {}  {}\n", event.id, event.stream_id,
                           trace::quoted_json_text(event.name)));
  }
  for (const Packet& packet : trace.packets()) {
    output.put(fmt::format("packet {:>12} {:>9} bytes, {} used, {} discarded so far  {}\n",
                           packet.offset, packet.bytes, (packet.bits + 7) / 8, packet.discarded,
                           trace::quoted_json_text(trace.files()[packet.file])));
  }
}

// Covers the traces of a session one after the other; `prefix` has their path below the session.
class Inspection {
 public:
  Inspection(InspectStyle style, OutputBytes& output) : style_(style), output_(output) {}

  void begin(bool is_session) {
    is_session_ = is_session;
    if (style_ == InspectStyle::kCsv) {
      output_.put(
          "file,offset,bytes,content_bits,stream_id,instance,begin_unix_ns,end_unix_ns,"
          "discarded\n");
    }
    if (is_session && style_ == InspectStyle::kJson)
      output_.put("{\"schema\": \"ctf-session-1\", \"traces\": [");
  }

  void put(const Trace& trace, const std::string& path, const ReadOutcome& outcome) {
    const std::string prefix = path.empty() ? path : path + "/";
    if (style_ == InspectStyle::kCsv) put_csv(trace, prefix, output_);
    if (style_ == InspectStyle::kText) put_text(trace, prefix, output_);
    if (style_ != InspectStyle::kJson) return;
    if (is_session_) {
      output_.put(fmt::format("{}{{\"path\": {}, \"trace\":\n", is_first_ ? "\n" : ",\n",
                              trace::quoted_json_text(path)));
    }
    put_json(trace, outcome, output_);
    if (is_session_) output_.put("}");
    is_first_ = false;
  }

  void end() {
    if (style_ == InspectStyle::kJson) output_.put(is_session_ ? "\n]}\n" : "\n");
  }

 private:
  InspectStyle style_;
  OutputBytes& output_;
  bool is_session_ = false;
  bool is_first_ = true;
};

}  // namespace
}  // namespace ctf

ReadOutcome inspect_ctf(const std::string& path, InspectStyle style, OutputBytes& output) {
  ctf::Inspection inspection(style, output);
  const ctf::TraceSources sources = ctf::sources_of(path);
  ReadOutcome all;
  bool began = false;
  for (const std::string& name : sources.paths) {
    ctf::Trace trace;
    ReadOutcome outcome = trace.open(ctf::place_of(path, name));
    if (outcome.end != ReadEnd::kRefused) {
      if (!began) inspection.begin(!name.empty());
      began = true;
      inspection.put(trace, name, outcome);
    }
    ctf::add_outcome(std::move(outcome), name, all);
  }
  if (!began) return ReadOutcome::refused(all.offset, all.message);
  inspection.end();
  ctf::add_left_out(sources, all);
  return all;
}

}  // namespace ringside::tool
