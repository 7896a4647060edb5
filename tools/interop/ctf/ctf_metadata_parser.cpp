// Reads TSDL: the declarations of section C of the CTF 1.8 specification, as far as tracers write
// them; skips blocks that are not used (callsite).

#include <utility>

#include "tools/interop/ctf/ctf_type_parser.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr std::size_t kMostEvents = 1'000'000;

class Parser final : TypeParser {
 public:
  Parser(std::string_view text, MetadataError* error) : TypeParser(text, error) {}

  std::unique_ptr<Metadata> parse() {
    metadata_ = std::make_unique<Metadata>();
    while (!failed_ && token_.kind != TokenKind::kEnd) top_level();
    if (!failed_ && metadata_->streams.empty()) metadata_->streams[0];
    for (const std::size_t event : of_any_stream_) {
      if (metadata_->streams.size() == 1)
        metadata_->events[event].stream_id = metadata_->streams.begin()->first;
    }
    return failed_ ? nullptr : std::move(metadata_);
  }

 private:
  void top_level() {
    if (take(";")) return;
    if (token_.is_word("typealias") || token_.is_word("typedef")) return alias();
    if (take_word("trace")) return trace_block();
    if (take_word("stream")) return stream_block();
    if (take_word("event")) return event_block();
    if (take_word("env")) return env_block();
    if (take_word("clock")) return clock_block();
    if (take_word("callsite")) return (void)block([](const std::string&, const Attribute&) {});
    type();
    expect(";");
  }

  void trace_block() {
    Metadata& m = *metadata_;
    block(
        [&](const std::string& key, const Attribute& a) {
          if (key == "major") m.major = number_of(a);
          if (key == "minor") m.minor = number_of(a);
          if (key == "uuid") m.uuid = a.text;
          if (key == "byte_order") m.big_endian = a.text == "be" || a.text == "network";
        },
        [&](const std::string& key, const TypePointer& type) {
          if (key == "packet.header") m.packet_header = type;
        });
    if (m.major > 1)
      fail(fmt::format("version {}.{} is not supported; supported version: 1.8", m.major, m.minor));
  }

  void stream_block() {
    StreamDescription stream;
    block(
        [&](const std::string& key, const Attribute& a) {
          if (key == "id") stream.id = number_of(a);
        },
        [&](const std::string& key, const TypePointer& type) {
          if (key == "packet.context") stream.packet_context = type;
          if (key == "event.header") stream.event_header = type;
          if (key == "event.context") stream.event_context = type;
        });
    metadata_->streams[stream.id] = stream;
  }

  void event_block() {
    EventDescription event;
    bool names_stream = false;
    block(
        [&](const std::string& key, const Attribute& a) {
          if (key == "id") event.id = number_of(a);
          if (key == "stream_id") {
            event.stream_id = number_of(a);
            names_stream = true;
          }
          if (key == "name") event.name = a.text;
          if (key == "loglevel") event.loglevel = number_of(a);
          if (key == "model.emf.uri") event.model_uri = a.text;
        },
        [&](const std::string& key, const TypePointer& type) {
          if (key == "context") event.context = type;
          if (key == "fields") event.fields = type;
        });
    if (!names_stream) of_any_stream_.push_back(metadata_->events.size());
    metadata_->events.push_back(std::move(event));
    if (metadata_->events.size() > kMostEvents) fail("more than a million kinds of events");
  }

  void env_block() {
    block([&](const std::string& key, const Attribute& a) { metadata_->env[key] = a.text; });
  }

  void clock_block() {
    Clock clock;
    std::string name;
    block([&](const std::string& key, const Attribute& a) {
      if (key == "name") name = a.text;
      if (key == "freq") clock.frequency = number_of(a);
      if (key == "offset_s") clock.offset_s = static_cast<std::int64_t>(number_of(a));
      if (key == "offset") clock.offset = static_cast<std::int64_t>(number_of(a));
    });
    if (clock.frequency == 0) fail("a clock has a frequency of 0 Hz");
    metadata_->clocks[name] = clock;
  }

  std::unique_ptr<Metadata> metadata_;
  std::vector<std::size_t> of_any_stream_;  // events that do not name their stream
};

}  // namespace

std::uint64_t Clock::unix_ns(std::uint64_t ticks) const {
  __extension__ using Wide = __int128;
  constexpr Wide kBillion = 1'000'000'000;
  const Wide sum = Wide{ticks} + offset;
  const Wide ns =
      (frequency == 1'000'000'000 ? sum : sum * kBillion / frequency) + Wide{offset_s} * kBillion;
  if (ns < 0) return 0;
  return ns > INT64_MAX ? static_cast<std::uint64_t>(INT64_MAX) : static_cast<std::uint64_t>(ns);
}

const Clock* Metadata::find_clock(const std::string& clock) const {
  static const Clock unix_time;
  if (!clock.empty()) {
    const auto found = clocks.find(clock);
    return found == clocks.end() ? nullptr : &found->second;
  }
  if (clocks.empty()) return &unix_time;
  return clocks.size() == 1 ? &clocks.begin()->second : nullptr;
}

std::unique_ptr<Metadata> parse_metadata(std::string_view tsdl, MetadataError* error) {
  if (is_json_metadata(tsdl)) return parse_json_metadata(tsdl, error);
  return Parser(tsdl, error).parse();
}

}  // namespace ringside::tool::ctf
