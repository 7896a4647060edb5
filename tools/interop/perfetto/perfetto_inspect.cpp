#include "tools/interop/perfetto/perfetto_inspect.hpp"

#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/perfetto/perfetto_event.hpp"
#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/perfetto_reader.hpp"
#include "tools/interop/perfetto/perfetto_sequence.hpp"
#include "tools/interop/perfetto/perfetto_tracks.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace perfetto {
namespace {

constexpr std::size_t kMostListed = 65'536;  // of sequences, and of tracks
constexpr std::size_t kMostListedKinds = 4096;
constexpr std::uint64_t kMostTextBytes = std::uint64_t{64} << 20;
constexpr std::array<std::string_view, 5> kTypes{"other", "slice_begin", "slice_end", "instant",
                                                 "counter"};

struct KindFacts {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

struct SequenceFacts {
  Sequence state;
  std::uint64_t packets = 0;
  std::uint64_t events = 0;
  std::uint64_t cleared = 0;
  std::uint64_t dropped = 0;  // how many times packets are missing
  std::uint64_t without_state = 0;
};

struct ListedTrack {
  TrackKind kind = TrackKind::kOther;
  std::uint64_t parent = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string name;
};

class Summary {
 public:
  // False: the packet is invalid.
  bool take(const Packet& packet) {
    ++packets_;
    if (kinds_.size() < kMostListedKinds || kinds_.contains(packet.kind)) {
      KindFacts& kind = kinds_[packet.kind];
      ++kind.packets;
      kind.bytes += packet.bytes;
    }
    if (packet.is_sound && take_parts(packet)) return true;
    ++bad_;
    return false;
  }

  void put_json(std::string& out, const DigestedInput& digest, const std::string& name,
                const ReadOutcome& outcome) const {
    add(out, "{{\n \"schema\": \"perfetto-1\",\n \"file\": {},\n \"size\": {},\n",
        trace::quoted_json_text(DigestedInput::file_name(name)), digest.size());
    add(out, " \"sha256\": \"{}\",\n", digest.sha256());
    add(out,
        " \"counts\": {{\"packets\": {}, \"events\": {}, \"bad_packets\": {}, \"dropped\": {}, "
        "\"without_state\": {}}},\n",
        packets_, events_, bad_, dropped_, without_state_);
    add(out, " \"unix_time\": {},\n \"kinds\": [", clocks_.knows_unix_time());
    const char* separator = "";
    for (const auto& [number, kind] : kinds_) {
      add(out, "{}\n  {{\"kind\": {}, \"field\": {}, \"packets\": {}, \"bytes\": {}}}", separator,
          trace::quoted_json_text(kind_text(number)), number, kind.packets, kind.bytes);
      separator = ",";
    }
    out += "\n ],\n \"events\": {";
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      add(out, "{}\"{}\": {}", i == 0 ? "" : ", ", kTypes[i], types_[i]);
    }
    out += "},\n \"sequences\": [";
    separator = "";
    for (const auto& [number, sequence] : sequences_) {
      add(out,
          "{}\n  {{\"id\": {}, \"packets\": {}, \"events\": {}, \"cleared\": {}, \"dropped\": {}, "
          "\"without_state\": {}}}",
          separator, number, sequence.packets, sequence.events, sequence.cleared, sequence.dropped,
          sequence.without_state);
      separator = ",";
    }
    out += "\n ],\n \"tracks\": [";
    separator = "";
    for (const auto& [uuid, track] : tracks_) {
      add(out,
          "{}\n  {{\"uuid\": {}, \"parent\": {}, \"kind\": \"{}\", \"name\": {}, \"pid\": {}, "
          "\"tid\": {}}}",
          separator, uuid, track.parent, name_of(track.kind), trace::quoted_json_text(track.name),
          track.pid, track.tid);
      separator = ",";
    }
    out += "\n ],\n \"error\": ";
    if (outcome.message.empty()) {
      out += "null";
    } else {
      add(out, "{{\"offset\": {}, \"message\": {}}}", outcome.offset,
          trace::quoted_json_text(outcome.message));
    }
    out += "\n}\n";
  }

  void put_text(std::string& out) const {
    add(out, "{} packets, {} events\n", packets_, events_);
    for (const auto& [number, kind] : kinds_) {
      add(out, "  {:<32} {:>10} packets {:>12} bytes\n", kind_text(number), kind.packets,
          kind.bytes);
    }
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      if (types_[i] != 0) add(out, "  event {:<26} {:>10}\n", kTypes[i], types_[i]);
    }
    add(out, "{} sequences\n", sequences_.size());
    for (const auto& [number, sequence] : sequences_) {
      add(out, "  {:>10} {:>10} packets {:>10} events", number, sequence.packets, sequence.events);
      if (sequence.dropped != 0) add(out, ", packets are missing {} times", sequence.dropped);
      if (sequence.without_state != 0) {
        add(out, ", {} events without their state", sequence.without_state);
      }
      out += '\n';
    }
    add(out, "{} tracks\n", tracks_.size());
    for (const auto& [uuid, track] : tracks_) {
      add(out, "  {:>20} {:<8} {} of {}, process {}, thread {}\n", uuid, name_of(track.kind),
          trace::quoted_json_text(track.name), track.parent, track.pid, track.tid);
    }
    if (!clocks_.knows_unix_time()) out += "no clock snapshot has Unix time\n";
  }

  void put_csv(std::string& out) const {
    out += "kind,field,packets,bytes\n";
    for (const auto& [number, kind] : kinds_) {
      add(out, "{},{},{},{}\n", kind_text(number), number, kind.packets, kind.bytes);
    }
  }

 private:
  template <class... Args>
  static void add(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  }

  static std::string kind_text(std::uint32_t number) {
    const std::string_view name = name_of_kind(number);
    if (!name.empty()) return std::string(name);
    return number == 0 ? "none" : "field " + std::to_string(number);
  }

  bool take_parts(const Packet& packet) {
    if (sequences_.size() == kMostListed && !sequences_.contains(packet.sequence)) return true;
    SequenceFacts& facts = sequences_[packet.sequence];
    Sequence& sequence = facts.state;
    const std::uint64_t lost = sequence.lost;
    const std::uint64_t generation = sequence.generation;
    sequence.take_flags(packet, text_bytes_left_);
    ++facts.packets;
    facts.dropped += sequence.lost - lost;
    dropped_ += sequence.lost - lost;
    facts.cleared += sequence.generation - generation;
    if (!packet.interned.empty() && sequence.interned.add(packet.interned, text_bytes_left_) ==
                                        InternedEntries::Added::kUnsound) {
      return false;
    }
    if (!packet.defaults.empty() && !sequence.take_defaults(packet.defaults)) return false;
    if (packet.kind == packet::kClockSnapshot) return clocks_.take(packet.data, sequence.clocks);
    if (packet.kind == packet::kTrackDescriptor) return take_track(packet.data);
    if (packet.kind == packet::kTrackEvent) return take_event(packet, facts);
    TrackFacts thread;
    return packet.kind != packet::kThreadDescriptor || read_thread(packet.data, thread);
  }

  bool take_event(const Packet& packet, SequenceFacts& facts) {
    if (!facts.state.is_valid && (packet.flags & packet::kNeedsState) != 0) {
      ++facts.without_state;
      ++without_state_;
      return true;
    }
    if (!read_event(packet.data, facts.state.interned, arguments_, event_)) return false;
    ++events_;
    ++facts.events;
    ++types_[event_.type < kTypes.size() ? static_cast<std::size_t>(event_.type) : 0];
    return true;
  }

  bool take_track(std::string_view descriptor) {
    TrackFacts facts;
    if (!read_track(descriptor, facts)) return false;
    if (tracks_.size() == kMostListed && !tracks_.contains(facts.uuid)) return true;
    ListedTrack& track = tracks_[facts.uuid];
    track.kind = facts.kind;
    track.parent = facts.parent;
    track.pid = facts.pid;
    track.tid = facts.tid;
    const std::string_view name = facts.name.empty() ? facts.thread_name : facts.name;
    if (!name.empty() && name.size() <= text_bytes_left_) {
      text_bytes_left_ -= name.size();
      track.name = name;
    }
    return true;
  }

  std::map<std::uint32_t, KindFacts> kinds_;
  std::map<std::uint32_t, SequenceFacts> sequences_;
  std::map<std::uint64_t, ListedTrack> tracks_;
  std::array<std::uint64_t, kTypes.size()> types_{};
  std::uint64_t packets_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t without_state_ = 0;
  std::uint64_t text_bytes_left_ = kMostTextBytes;
  Clocks clocks_;
  Arguments arguments_;
  TrackEvent event_;
};

}  // namespace
}  // namespace perfetto

ReadOutcome inspect_perfetto(InputBytes& input, InspectStyle style, OutputBytes& output) {
  using namespace perfetto;
  DigestedInput digest(input);
  PacketReader reader(digest.bytes());
  Summary summary;
  Packet packet;
  Step step = reader.next(packet);
  if (step == Step::kDamaged) return ReadOutcome::refused(reader.offset(), reader.why());
  std::uint64_t bad = 0;
  std::uint64_t first_bad = 0;
  for (; step == Step::kPacket; step = reader.next(packet)) {
    if (!summary.take(packet) && bad++ == 0) first_bad = packet.offset;
  }
  ReadOutcome outcome;
  if (step == Step::kDamaged) outcome = ReadOutcome::damaged(reader.offset(), reader.why());
  if (bad != 0) {
    outcome.warnings.push_back(fmt::format("{} bad packet{} skipped, the first at {}", bad,
                                           bad == 1 ? " was" : "s were", first_bad));
  }
  std::string text;
  if (style == InspectStyle::kJson) {
    digest.finish();
    summary.put_json(text, digest, input.name(), outcome);
  } else if (style == InspectStyle::kText) {
    summary.put_text(text);
  } else {
    summary.put_csv(text);
  }
  output.put(text);
  return outcome;
}

}  // namespace ringside::tool
