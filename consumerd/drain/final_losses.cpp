// The losses that a ring tells when its thread or its service has ended.

#include <algorithm>

#include "consumerd/drain/ring_drain.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::consumer {
namespace {

// Assumed for a stream of which no record was ever read.
constexpr std::uint64_t kUsualRecordBytes = 24;

}  // namespace

RingDrain::Result RingDrain::book_final_drops(const DrainWay& way, bool service_ended) {
  if (quarantined_) {
    if (!service_ended) return Result::kDone;
    if (give_up_for_good(way) == Result::kNoSpace) return Result::kNoSpace;
  }
  if (has_data()) return Result::kDone;
  const shm::IdentityLine& identity = metadata_->identity;
  // Reads the generation first: if a successor has taken the drained ring, state and counters
  // are the successor's, and the second check of the generation below detects that.
  const std::uint32_t generation = identity.generation.load(std::memory_order_acquire);
  // Pairs with the release at thread exit: positions and counters are final.
  const bool retired = identity.state.load(std::memory_order_acquire) ==
                       static_cast<std::uint32_t>(shm::RingState::kRetired);
  if (!retired && !service_ended) return Result::kDone;
  const shm::CountersLine& counters = metadata_->counters;
  const std::uint64_t total = counters.dropped_total.load(std::memory_order_acquire);
  if (has_data() || identity.generation.load(std::memory_order_acquire) != generation) {
    return Result::kDone;
  }
  const bool fresh = generation != generation_;  // nothing of this owner was ever consumed
  const std::uint64_t booked = fresh ? 0 : cursor_.booked_drops;
  if (total <= booked) {
    // Its owner left no record. Without this, no thread could claim the drained ring again.
    if (fresh) {
      announced_ = false;
      cursor_.stream_id = identity.stream_id;
      cursor_.last_tsc = identity.start_tsc;
      adopt_generation(generation);
    }
    return Result::kDone;
  }
  if (!enter_stream(way.file, RingOwner::read(identity))) return Result::kNoSpace;
  const trace::DropCounters drops{total, counters.dropped_ring_full.load(std::memory_order_relaxed),
                                  counters.dropped_consumer_absent.load(std::memory_order_relaxed),
                                  counters.dropped_quarantined.load(std::memory_order_relaxed),
                                  counters.dropped_abandoned.load(std::memory_order_relaxed)};
  for (const trace::UntoldDrops& untold : trace::untold_drops(drops, cursor_)) {
    if (untold.count != 0 && book_drops(way, untold) == Result::kNoSpace) return Result::kNoSpace;
  }
  return Result::kDone;
}

RingDrain::Result RingDrain::book_drops(const DrainWay& way, const trace::UntoldDrops& drops) {
  const std::span<std::byte> out = way.file.space(encoder_room(shm::kDropRecordBytes));
  if (out.empty()) return Result::kNoSpace;
  const auto words = trace::drop_record(drops, cursor_);
  const trace::EncodeResult result = way.encoder.encode(std::as_bytes(std::span(words)), cursor_,
                                                        way.watermark_tsc, shm::read_tsc(), out);
  accept(way, result, 0);
  if (way.taker != nullptr) {
    const RingOwner owner = RingOwner::read(metadata_->identity);
    way.taker->add_losses({index_, owner, cursor_, pos_, {}}, drops.count);
  }
  return Result::kDone;
}

// The service is gone. The number of records in the rest of its ring is unknown, because each
// record is found from the one before it: estimated from the mean size of the records drained
// before.
RingDrain::Result RingDrain::give_up_for_good(const DrainWay& way) {
  const std::uint64_t end = metadata_->producer.producer_pos.load(std::memory_order_acquire);
  const std::uint64_t bytes = end - pos_;
  if (bytes == 0 || bytes > segment_->layout().ring_bytes || segment_->truncated()) {
    return Result::kDone;
  }
  if (!enter_stream(way.file, RingOwner::read(metadata_->identity))) return Result::kNoSpace;
  const std::span<std::byte> out = way.file.space(encoder_room(shm::kDropRecordBytes));
  if (out.empty()) return Result::kNoSpace;
  const std::uint64_t record_bytes =
      drained_records_ == 0
          ? kUsualRecordBytes
          : std::max<std::uint64_t>(drained_bytes_ / drained_records_, shm::kHeadBytes);
  const std::uint64_t records = std::max<std::uint64_t>(bytes / record_bytes, 1);
  const std::uint64_t booked = cursor_.booked_drops;
  const auto words = trace::drop_record({shm::LossCause::kQuarantined, records}, cursor_);
  const trace::EncodeResult result = way.encoder.encode(std::as_bytes(std::span(words)), cursor_,
                                                        way.watermark_tsc, shm::read_tsc(), out);
  cursor_.booked_drops = booked;  // the service's counters do not include them
  accept(way, result, bytes);
  way.counts->left_behind += records;
  return Result::kDone;
}

}  // namespace ringside::consumer
