// RingDrain for rings that are overwritten: their contents are copied first, at the speed of
// memory, because the producer continues to write; then the copy is encoded.

#include <algorithm>
#include <cstring>
#include <utility>

#include "consumerd/drain/ring_drain.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::consumer {
namespace {

// Every sub-buffer begins with a clock record, which has the full time stamp.
std::uint64_t first_tsc(std::span<const std::byte> bytes, std::uint64_t otherwise) {
  std::uint64_t words[2] = {};
  if (bytes.size() < shm::kClockRecordBytes) return otherwise;
  std::memcpy(words, bytes.data(), sizeof words);
  return shm::head_id(words[0]) == shm::kCodeClock ? words[1] : otherwise;
}

}  // namespace

RingDrain::Result RingDrain::drain_overwritten(std::uint64_t most_bytes, const DrainWay& way,
                                               std::uint64_t* copied) {
  if (quarantined_) return Result::kDone;
  if (copy_.empty()) {
    if (!has_data()) return Result::kDone;
    const RingCopy::Result taken = copy_.take(*segment_, index_, pos_, generation_);
    *copied += copy_.copied_bytes();
    if (segment_->truncated()) {
      quarantine(Quarantine::kTruncated, {}, way.log);
    } else if (taken == RingCopy::Result::kUnsound) {
      quarantine(Quarantine::kPosition, "invalid positions", way.log);
    } else if (taken == RingCopy::Result::kUnmapped) {
      quarantine(Quarantine::kMapping, "its memory cannot be mapped", way.log);
    }
    if (quarantined_ || taken != RingCopy::Result::kTaken) copy_.clear();
    if (copy_.empty()) return Result::kDone;
  }
  // Updated after the copy: the dictionary then has the sites of all records in the copy.
  if (way.dictionary.update() == DictionaryFeed::Result::kNoSpace) return Result::kNoSpace;
  if (!enter_stream(way.file, copy_.owner())) return Result::kNoSpace;
  // Each sub-buffer states its own; the one before may be overwritten.
  if (copy_.pos() != pos_) cursor_.context = {};
  if (!report_overwritten(way)) return Result::kNoSpace;
  const Result result = encode_copy(most_bytes, way);
  if (result == Result::kDone) copy_.clear();
  return result;
}

// Moves past what was overwritten since the last snapshot. Part of it may be marks of dropped
// records.
bool RingDrain::report_overwritten(const DrainWay& way) {
  if (copy_.pos() == pos_) return true;
  const shm::OldestRecords& oldest = copy_.oldest();
  const std::uint64_t missing = oldest.sequence - cursor_.next_sequence;
  const std::uint64_t dropped = oldest.drops - cursor_.booked_drops;
  if (static_cast<std::int64_t>(missing) < 0 || dropped > missing) {
    // The words of a service that overwrites its own ring: they affect only the size of the loss.
    pos_ = copy_.pos();
    publish();
    return true;
  }
  cursor_.last_tsc = first_tsc(copy_.left(), cursor_.last_tsc);
  const std::pair<shm::LossCause, std::uint64_t> parts[] = {
      {shm::LossCause::kRingFull, dropped}, {shm::LossCause::kOverwritten, missing - dropped}};
  trace::EncodeResult sum;
  const std::span<std::byte> out = way.file.space(2 * encoder_room(shm::kDropRecordBytes));
  if (out.empty()) return false;
  trace::StreamCursor cursor = cursor_;
  for (const auto& [cause, count] : parts) {
    if (count == 0) continue;
    const std::uint64_t words[3] = {shm::make_head(cursor.last_tsc, shm::kCodeDrop), count,
                                    static_cast<std::uint32_t>(cause)};
    const trace::EncodeResult one =
        way.encoder.encode(std::as_bytes(std::span(words)), cursor, way.watermark_tsc, 0,
                           out.subspan(sum.output_bytes));
    sum.output_bytes += one.output_bytes;
    sum.dropped += one.dropped;
  }
  cursor_ = cursor;
  cursor_.booked_drops = oldest.drops;
  way.counts->overwritten += missing - dropped;
  accept(way, sum, copy_.pos() - pos_);
  return true;
}

RingDrain::Result RingDrain::encode_copy(std::uint64_t most_bytes, const DrainWay& way) {
  std::uint64_t batch = kDrainBatchBytes;
  const std::uint64_t begin = pos_;
  while (!copy_.empty()) {
    if (pos_ - begin >= most_bytes) return Result::kMore;
    const std::uint64_t bytes = std::min<std::uint64_t>(copy_.left().size(), batch);
    // A record that the consumer stamps has the time of the record before it, not of this snapshot.
    // Everything in a flight recorder is wanted: nothing is sampled.
    const Encoded encoded = encode(way, copy_.left().first(bytes), 0, false);
    if (encoded.no_space) return Result::kNoSpace;
    copy_.drop_front(encoded.consumed);
    if (encoded.given_up) {
      copy_.clear();
    } else if (encoded.consumed > 0) {
      batch = kDrainBatchBytes;
    } else if (bytes < std::min<std::uint64_t>(copy_.left().size(), shm::kMaxRecordBytes)) {
      batch = shm::kMaxRecordBytes;  // not even one record was encoded: it is larger than the batch
    } else {
      quarantine(Quarantine::kRecord, "unterminated record", way.log);
      copy_.clear();
    }
  }
  return Result::kDone;
}

}  // namespace ringside::consumer
