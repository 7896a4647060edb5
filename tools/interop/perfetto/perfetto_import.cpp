#include "tools/interop/perfetto/perfetto_import.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "tools/interop/perfetto/perfetto_event_records.hpp"
#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/perfetto_reader.hpp"
#include "tools/interop/perfetto/perfetto_sequence.hpp"

namespace ringside::tool {
namespace perfetto {
namespace {

constexpr std::size_t kMostSequences = 16'384;
constexpr std::uint64_t kMostInternedBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMostRememberedBytes = std::size_t{64} << 20;
constexpr std::size_t kMostKinds = 256;
// The first clocks and the names of processes are searched here, before anything else is read: also
// in less, if the sender pauses.
constexpr std::size_t kPrologueBytes = std::size_t{1} << 20;

constexpr std::string_view kManySequences =
    "is left out: its packet sequence is not one of the first 16384";
constexpr std::string_view kManyStrings = "strings after the first 256 MiB are left out";

// Packets without information about events.
bool is_of_no_interest(std::uint32_t kind) {
  constexpr std::uint32_t kKinds[] = {0, 33, 35, 36, 45, 46, 69, 72, 78, 89, 124};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

class Import {
 public:
  Import(TraceBuilder& builder, ConversionReport& report)
      : report_(report), tracks_(builder, report), records_(builder, report, tracks_) {}

  ReadOutcome run(InputBytes& input) {
    look_ahead(input);
    PacketReader reader(input);
    Packet packet;
    Step step = reader.next(packet);
    if (step == Step::kDamaged) return ReadOutcome::refused(reader.offset(), reader.why());
    for (; step == Step::kPacket; step = reader.next(packet)) {
      if (packet.is_sound && take(packet)) continue;
      if (bad_++ == 0) first_bad_ = packet.offset;
    }
    ReadOutcome outcome;
    if (step == Step::kDamaged) outcome = ReadOutcome::damaged(reader.offset(), reader.why());
    finish(outcome);
    return outcome;
  }

 private:
  void look_ahead(InputBytes& input) {
    const std::span<const std::byte> bytes = input.peek_until_pause(kPrologueBytes);
    const auto first =
        InputBytes::in_memory("", bytes.first(std::min(bytes.size(), kPrologueBytes)));
    PacketReader reader(*first);
    SequenceClocks none;
    for (Packet packet; reader.next(packet) == Step::kPacket;) {
      if (!packet.is_sound) continue;
      if (packet.kind == packet::kClockSnapshot && !clocks_.knows_unix_time()) {
        clocks_.take(packet.data, none);
      }
      TrackFacts facts;
      if (packet.kind == packet::kTrackDescriptor && read_track(packet.data, facts)) {
        if (!facts.process.empty()) {
          tracks_.take_process(facts.process, clocks_.boottime_offset());
        }
        tracks_.name_thread(facts);
      }
      take_processes(packet);
    }
  }

  void take_processes(const Packet& packet) {
    if (packet.kind == packet::kProcessDescriptor) {
      tracks_.take_process(packet.data, clocks_.boottime_offset());
    } else if (packet.kind == packet::kProcessTree) {
      tracks_.take_process_tree(packet.data);
    }
  }

  // Null: there are too many.
  Sequence* sequence_of(std::uint32_t number) {
    if (last_ != nullptr && last_number_ == number) return last_;
    if (sequences_.size() == kMostSequences && !sequences_.contains(number)) return nullptr;
    last_number_ = number;
    return last_ = &sequences_[number];
  }

  // False: it is invalid.
  bool take(const Packet& packet) {
    Sequence* const sequence = sequence_of(packet.sequence);
    if (sequence == nullptr) {
      report_.lost(kManySequences);
      return true;
    }
    sequence->take_flags(packet, strings_left_);
    if (!packet.interned.empty() && !intern(*sequence, packet.interned)) return false;
    if (!packet.defaults.empty() && !sequence->take_defaults(packet.defaults)) return false;
    if (packet.kind == packet::kClockSnapshot && !clocks_.take(packet.data, sequence->clocks)) {
      return false;
    }
    // Incremental clocks advance with every packet.
    std::optional<std::uint64_t> unix_ns;
    if (packet.timestamp) {
      const std::uint32_t clock = packet.clock != 0 ? packet.clock : sequence->clock;
      unix_ns = clocks_.unix_ns(*packet.timestamp, clock, sequence->clocks);
    }
    switch (packet.kind) {
      case packet::kTrackEvent:
        if (sequence->is_valid || (packet.flags & packet::kNeedsState) == 0) {
          return take_event(packet, unix_ns, *sequence);
        }
        ++sequence->lost;
        return true;
      case packet::kTrackDescriptor:
        return take_track(packet.data);
      case packet::kThreadDescriptor:
        return take_thread(packet.data, *sequence);
      case packet::kClockSnapshot:
        return true;
      case packet::kProcessDescriptor:
      case packet::kProcessTree:
        take_processes(packet);
        return true;
      default:
        if (!is_of_no_interest(packet.kind)) count_kind(packet.kind);
        return true;
    }
  }

  bool take_event(const Packet& packet, std::optional<std::uint64_t> unix_ns, Sequence& sequence) {
    const bool is_sound = records_.take(packet, unix_ns, sequence, clocks_);
    if (records_.remembered_bytes() > kMostRememberedBytes) [[unlikely]] {
      for (auto& [number, one] : sequences_) one.sites = {};
      records_.forget();
    }
    return is_sound;
  }

  bool intern(Sequence& sequence, std::string_view data) {
    const InternedEntries::Added added = sequence.interned.add(data, strings_left_);
    if (added == InternedEntries::Added::kTooMany) report_.lost(kManyStrings);
    // The cached choices depend on numbers of strings.
    if (added != InternedEntries::Added::kNew) sequence.sites.clear();
    return added != InternedEntries::Added::kUnsound;
  }

  bool take_track(std::string_view descriptor) {
    TrackFacts facts;
    if (!read_track(descriptor, facts)) return false;
    if (!facts.process.empty()) tracks_.take_process(facts.process, clocks_.boottime_offset());
    tracks_.add(facts);
    return true;
  }

  bool take_thread(std::string_view descriptor, Sequence& sequence) {
    TrackFacts facts;
    if (!read_thread(descriptor, facts)) return false;
    tracks_.name_thread(facts);
    sequence.is_thread = true;
    sequence.thread_pid = facts.pid;
    sequence.thread_tid = facts.tid;
    sequence.time_us = facts.reference_us;
    return true;
  }

  void count_kind(std::uint32_t kind) {
    if (kinds_.size() < kMostKinds || kinds_.contains(kind)) {
      ++kinds_[kind];
    } else {
      ++other_kinds_;
    }
  }

  void finish(ReadOutcome& outcome) {
    records_.finish();
    tracks_.finish();
    std::uint64_t lost = 0;
    for (const auto& [number, sequence] : sequences_) lost += sequence.lost;
    if (lost != 0) report_.lost("is lost, at the end of its packet sequence", lost);
    for (const auto& [kind, count] : kinds_) {
      const std::string_view name = name_of_kind(kind);
      report_.lost(fmt::format("packets of the kind {} are left out",
                               name.empty() ? std::to_string(kind) : std::string(name)),
                   count);
    }
    if (other_kinds_ != 0) report_.lost("packets of further kinds are left out", other_kinds_);
    if (bad_ != 0) {
      outcome.warnings.push_back(fmt::format("{} bad packet{} skipped, the first at {}", bad_,
                                             bad_ == 1 ? " was" : "s were", first_bad_));
    }
    if (clocks_.has_guessed() && !clocks_.knows_unix_time() && records_.events() != 0) {
      outcome.warnings.emplace_back(
          "no clock snapshot has Unix time; times count from the beginning of 1970");
    }
  }

  ConversionReport& report_;
  Clocks clocks_;
  TrackTable tracks_;
  EventRecords records_;
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  Sequence* last_ = nullptr;
  std::uint32_t last_number_ = 0;
  std::uint64_t strings_left_ = kMostInternedBytes;
  std::map<std::uint32_t, std::uint64_t> kinds_;
  std::uint64_t other_kinds_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t first_bad_ = 0;
};

}  // namespace
}  // namespace perfetto

ReadOutcome read_perfetto(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  return perfetto::Import(builder, report).run(input);
}

}  // namespace ringside::tool
