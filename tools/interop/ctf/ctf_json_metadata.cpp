// Reads the metadata of CTF 2: fragments of JSON, each after a record separator (RFC 7464).

#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_json_types.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr std::size_t kMostEventClasses = 1'000'000;
constexpr char kSeparator = '\x1e';

// Namespaces whose attributes have a log level, in LTTng's numbers.
constexpr std::array<std::string_view, 2> kLevelNamespaces{"babeltrace.org,2020", "lttng.org,2009"};
constexpr std::array<std::string_view, 15> kLogLevels{
    "emergency",    "alert",      "critical",       "error",         "warning",
    "notice",       "info",       "debug:system",   "debug:program", "debug:process",
    "debug:module", "debug:unit", "debug:function", "debug:line",    "debug"};

class FragmentReader {
 public:
  // False with why().
  bool take(JsonValue fragment) {
    JsonProperties properties(fragment, why_);
    const std::string type = properties.text("type", {});
    properties.refuse_extensions();
    if (properties.failed()) return false;
    if (!has_preamble_ && type != "preamble") return fail("the first fragment is not a preamble");
    if (type == "preamble") return preamble(fragment);
    if (type == "field-class-alias") return types_.add_alias(fragment) || fail(types_.why());
    if (type == "trace-class") return trace_class(fragment);
    if (type == "clock-class") return clock_class(fragment);
    if (type == "data-stream-class") return stream_class(fragment);
    if (type == "event-record-class") return event_class(fragment);
    return fail(fmt::format("a fragment of the unknown type '{}'", type));
  }

  std::unique_ptr<Metadata> finish() { return std::move(metadata_); }
  bool has_preamble() const { return has_preamble_; }
  const std::string& why() const { return why_; }

 private:
  bool fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }

  // True if there is no such field class.
  bool take_type(JsonValue fragment, std::string_view key, TypePointer& type) {
    const JsonValue field_class = fragment.member(key);
    if (!field_class) return true;
    type = types_.make_root(field_class);
    return type != nullptr || fail(fmt::format("{}: {}", key, types_.why()));
  }

  bool preamble(JsonValue fragment) {
    if (has_preamble_) return fail("a second preamble");
    has_preamble_ = true;
    JsonProperties properties(fragment, why_);
    metadata_->major = properties.natural("version", {});
    const JsonValue uuid = properties.array("uuid");
    if (properties.failed()) return false;
    if (metadata_->major != 2) {
      return fail(fmt::format("version {}; supported versions: 1.8 and 2", metadata_->major));
    }
    return !uuid || take_uuid(uuid) || fail("a UUID that is not 16 bytes");
  }

  bool take_uuid(JsonValue uuid) {
    std::array<std::uint8_t, 16> bytes{};
    std::size_t count = 0;
    bool sound = true;
    uuid.for_each([&](JsonValue byte) {
      sound = sound && byte.node().kind == JsonKind::kUnsigned && byte.node().low <= UINT8_MAX;
      if (count < bytes.size()) bytes[count] = static_cast<std::uint8_t>(byte.node().low);
      if (count == 4 || count == 6 || count == 8 || count == 10) metadata_->uuid += '-';
      metadata_->uuid += fmt::format("{:02x}", byte.node().low & UINT8_MAX);
      ++count;
    });
    metadata_->stream_uuid = bytes;
    return sound && count == bytes.size();
  }

  bool trace_class(JsonValue fragment) {
    if (has_trace_class_) return fail("a second trace class");
    has_trace_class_ = true;
    if (!metadata_->streams.empty()) return fail("a trace class after a data stream class");
    const JsonValue environment = JsonProperties(fragment, why_).object("environment");
    if (environment) {
      environment.for_each([&](JsonValue entry) {
        const JsonNode& node = entry.node();
        if (!node.is_text() && !node.is_integer())
          fail(fmt::format("the environment's '{}' is neither a string nor an integer", node.key));
        metadata_->env[std::string(node.key)] = node.text;
      });
    }
    return why_.empty() &&
           take_type(fragment, "packet-header-field-class", metadata_->packet_header);
  }

  bool clock_class(JsonValue fragment) {
    JsonProperties properties(fragment, why_);
    Clock clock;
    const std::string id = properties.text("id", {});
    clock.frequency = properties.natural("frequency", {}, 1);
    const JsonValue from_origin = properties.object("offset-from-origin");
    if (properties.failed()) return false;
    if (from_origin) {
      JsonProperties offset(from_origin, why_);
      clock.offset_s = offset.integer("seconds", 0);
      const std::uint64_t cycles = offset.natural("cycles", 0);
      if (cycles >= clock.frequency) fail("the cycles of a clock's offset are a second or more");
      clock.offset = static_cast<std::int64_t>(cycles & INT64_MAX);
    }
    if (!metadata_->clocks.try_emplace(id, clock).second)
      fail(fmt::format("a second clock class '{}'", id));
    return why_.empty();
  }

  bool stream_class(JsonValue fragment) {
    JsonProperties properties(fragment, why_);
    StreamDescription stream;
    stream.id = properties.natural("id", 0);
    stream.clock = properties.text("default-clock-class-id", "");
    if (properties.failed()) return false;
    if (fragment.member("default-clock-class-id") && !metadata_->clocks.contains(stream.clock))
      return fail(fmt::format("no clock class '{}' before its use", stream.clock));
    if (!take_type(fragment, "packet-context-field-class", stream.packet_context) ||
        !take_type(fragment, "event-record-header-field-class", stream.event_header) ||
        !take_type(fragment, "event-record-common-context-field-class", stream.event_context)) {
      return false;
    }
    const std::uint64_t id = stream.id;
    return metadata_->streams.try_emplace(id, std::move(stream)).second ||
           fail(fmt::format("a second data stream class {}", id));
  }

  bool event_class(JsonValue fragment) {
    JsonProperties properties(fragment, why_);
    EventDescription event;
    event.id = properties.natural("id", 0);
    event.stream_id = properties.natural("data-stream-class-id", 0);
    event.name = properties.text("name", "");
    const JsonValue attributes = properties.object("attributes");
    if (properties.failed()) return false;
    for (const std::string_view name : kLevelNamespaces) {
      const JsonValue level = attributes.member(name).member("log-level");
      for (std::size_t i = 0; level.is_text() && i < kLogLevels.size(); ++i) {
        if (level.node().text == kLogLevels[i]) event.loglevel = i;
      }
    }
    if (!metadata_->streams.contains(event.stream_id))
      return fail(fmt::format("no data stream class {} before its use", event.stream_id));
    if (metadata_->events.size() == kMostEventClasses)
      return fail("more than a million kinds of events");
    if (!events_.insert({event.stream_id, event.id}).second) {
      return fail(fmt::format("a second event record class {} of data stream class {}", event.id,
                              event.stream_id));
    }
    if (!take_type(fragment, "specific-context-field-class", event.context) ||
        !take_type(fragment, "payload-field-class", event.fields)) {
      return false;
    }
    metadata_->events.push_back(std::move(event));
    return true;
  }

  std::unique_ptr<Metadata> metadata_ = std::make_unique<Metadata>();
  JsonTypes types_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> events_;
  bool has_preamble_ = false;
  bool has_trace_class_ = false;
  std::string why_;
};

}  // namespace

bool is_json_metadata(std::string_view text) {
  return text.starts_with(kSeparator);
}

std::unique_ptr<Metadata> parse_json_metadata(std::string_view text, MetadataError* error) {
  FragmentReader reader;
  JsonTree tree;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at + 1;
    const std::size_t next = text.find(kSeparator, begin);
    const std::size_t end = next == std::string_view::npos ? text.size() : next;
    at = end;
    error->offset = begin;
    const std::string_view fragment = text.substr(begin, end - begin);
    // Several separators can follow each other.
    if (fragment.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
    if (!tree.parse(std::as_bytes(std::span(fragment)))) {
      error->offset = begin + tree.damaged_at();
      error->message = tree.why();
      return nullptr;
    }
    if (!reader.take(JsonValue(tree, 0))) {
      error->message = reader.why();
      return nullptr;
    }
  }
  if (!reader.has_preamble()) {
    error->message = "no preamble";
    return nullptr;
  }
  return reader.finish();
}

}  // namespace ringside::tool::ctf
