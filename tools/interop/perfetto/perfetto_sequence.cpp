#include "tools/interop/perfetto/perfetto_sequence.hpp"

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr std::size_t kMostDefaultTracks = 64;

}  // namespace

void Sequence::take_flags(const Packet& packet, std::uint64_t& interned_bytes_left) {
  // The tracing service also sets this for a sequence's first packet, before which nothing was
  // lost.
  if (packet.dropped != 0 && is_seen && !packet.is_first) {
    is_valid = false;
    ++lost;
    if ((packet.dropped & packet::kDroppedByFullBuffer) != 0) cause = shm::LossCause::kRingFull;
    if ((packet.dropped & packet::kDroppedByOverwriting) != 0) {
      cause = shm::LossCause::kOverwritten;
    }
  }
  is_seen = true;
  if (packet.producer_pid != 0) pid = packet.producer_pid;
  if ((packet.flags & packet::kStateCleared) == 0) return;
  is_valid = true;
  ++generation;
  interned.clear(interned_bytes_left);
  sites.clear();
  clock = 0;
  track = 0;
  extra_tracks.clear();
  extra_double_tracks.clear();
}

bool Sequence::take_defaults(std::string_view defaults) {
  protobuf::Fields fields(defaults);
  for (protobuf::Field field; fields.next(field);) {
    if (field.number == defaults::kClockId) clock = static_cast<std::uint32_t>(field.value);
    if (field.number != defaults::kTrackEvent) continue;
    extra_tracks.clear();
    extra_double_tracks.clear();
    protobuf::Fields event(field.bytes);
    for (protobuf::Field part; event.next(part);) {
      const auto append_to = [&part](std::vector<std::uint64_t>& tracks) {
        protobuf::for_each_number(part, protobuf::Wire::kVarint, [&tracks](std::uint64_t uuid) {
          if (tracks.size() < kMostDefaultTracks) tracks.push_back(uuid);
        });
      };
      if (part.number == track_event::kTrackUuid) track = part.value;
      if (part.number == track_event::kExtraTracks) append_to(extra_tracks);
      if (part.number == track_event::kExtraDoubleTracks) append_to(extra_double_tracks);
    }
    if (!event.is_sound()) return false;
  }
  return fields.is_sound();
}

}  // namespace ringside::tool::perfetto
