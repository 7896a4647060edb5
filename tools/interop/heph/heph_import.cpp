// Reads Heph traces from files and pipes.

#include "tools/interop/heph/heph_events.hpp"
#include "tools/interop/heph/heph_format.hpp"
#include "tools/interop/heph/heph_packets.hpp"

namespace ringside::tool {
namespace heph {

ReadOutcome read_source(InputBytes& whole, EventImport& events, TraceSource& source) {
  EpochSearch search = find_first_epoch(whole);
  if (!search.failure.empty()) return ReadOutcome::refused(0, search.failure);
  InputBytes& input = search.replay != nullptr ? *search.replay : whole;
  source.epoch_ns = search.epoch_ns.value_or(0);
  PacketReader reader(input);
  Packet packet;
  Step step = reader.next(packet);
  if (step == Step::kDamaged) return ReadOutcome::refused(packet.offset, reader.why());
  bool any_without = false;
  for (; step == Step::kPacket || step == Step::kBad; step = reader.next(packet)) {
    if (step == Step::kBad) {
      events.take_bad();
      continue;
    }
    any_without |= packet.is_event && !search.epoch_ns && !source.has_epoch;
    events.take(packet, source);
  }
  ReadOutcome outcome;
  if (step == Step::kDamaged) outcome = ReadOutcome::damaged(packet.offset, reader.why());
  if (any_without) {
    outcome.warnings.emplace_back(
        source.has_epoch
            ? "events before the epoch have times that count from the beginning of 1970"
            : "no epoch is set; times count from the beginning of 1970");
  }
  return outcome;
}

}  // namespace heph

ReadOutcome read_heph(InputBytes& whole, TraceBuilder& builder, ConversionReport& report) {
  heph::EventImport events(builder, report);
  heph::TraceSource source;
  ReadOutcome outcome = heph::read_source(whole, events, source);
  if (outcome.end == ReadEnd::kRefused) return outcome;
  events.begin(source);
  events.warn(outcome);
  return outcome;
}

}  // namespace ringside::tool
