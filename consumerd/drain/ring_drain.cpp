#include "consumerd/drain/ring_drain.hpp"

#include <algorithm>
#include <cstring>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kStreamBlockBytes = 128;

}  // namespace

RingDrain::RingDrain(AttachedSegment& segment, std::uint32_t index, bool resumes)
    : segment_(&segment),
      metadata_(&segment.ring(index)),
      index_(index),
      pos_(metadata_->consumer.consumer_pos.load(std::memory_order_relaxed)),
      space_wake_(*metadata_, segment.layout().ring_bytes, pos_),
      context_(segment, index) {
  const shm::ConsumerPositionLine& line = metadata_->consumer;
  generation_ = line.generation.load(std::memory_order_relaxed);
  cursor_.next_sequence = line.next_sequence.load(std::memory_order_relaxed);
  cursor_.last_tsc = line.last_tsc.load(std::memory_order_relaxed);
  cursor_.booked_drops = line.booked_drops.load(std::memory_order_relaxed);
  cursor_.booked_consumer_absent = line.booked_consumer_absent.load(std::memory_order_relaxed);
  cursor_.processor = shm::consumed_processor(
      metadata_->identity.consumed_processor.load(std::memory_order_relaxed), pos_);
  cursor_.context = context_.load(pos_, metadata_->identity.start_pos);
  high_water_ = line.high_water_bytes.load(std::memory_order_relaxed);
  // What an earlier consumer took is in its files, written by itself or by recovery.
  journaled_pos_ = reported_pos_ = pos_;
  metadata_->consumer.written_pos.store(pos_, std::memory_order_relaxed);
  passed_pos_ = pos_;
  quarantined_ = resumes && line.quarantine.load(std::memory_order_relaxed) != 0;
  if (quarantined_) return;
  // The reason for which an earlier consumer quarantined the ring may be gone.
  metadata_->consumer.quarantine.store(0, std::memory_order_relaxed);
  // An earlier consumer may have died before it looked.
  space_wake_.read_up_to(pos_);
}

// Sets the owner of the next records. The owner of a drained ring cannot change while records of
// the previous owner are left in it: reuse waits for that.
bool RingDrain::enter_stream(TraceFile& file, const RingOwner& owner) {
  if (owner.generation == generation_ && announced_) return true;
  const std::span<std::byte> out = file.space(kStreamBlockBytes);
  if (out.empty()) return false;
  file.commit(trace::write_stream_block(owner.stream(index_), out));
  announced_ = true;
  cursor_.stream_id = owner.stream_id;
  if (owner.generation != generation_) {
    cursor_.last_tsc = owner.start_tsc;
    adopt_generation(owner.generation);
  }
  return true;
}

void RingDrain::restate_stream(std::vector<std::byte>* front) {
  restated_ = false;
  const shm::IdentityLine& identity = metadata_->identity;
  // A retired stream records nothing more, and a new stream is announced with its first record.
  if (!announced_ || quarantined_ ||
      identity.state.load(std::memory_order_acquire) ==
          static_cast<std::uint32_t>(shm::RingState::kRetired)) {
    return;
  }
  const RingOwner owner = RingOwner::read(identity);
  // Has the ring another owner by now?
  if (owner.generation != generation_ || owner.stream_id != cursor_.stream_id) return;
  const std::size_t from = front->size();
  front->resize(from + kStreamBlockBytes);
  front->resize(from +
                trace::write_stream_block(owner.stream(index_), std::span(*front).subspan(from)));
  restated_ = true;
}

void RingDrain::adopt_generation(std::uint32_t generation) {
  cursor_.next_sequence = 0;
  cursor_.booked_drops = 0;
  cursor_.booked_consumer_absent = 0;
  cursor_.processor = 0;
  cursor_.context = {};
  context_.begin_stream();
  watched_pos_ = kNotWatched;
  drained_bytes_ = 0;
  drained_records_ = 0;
  high_water_ = 0;
  metadata_->consumer.high_water_bytes.store(0, std::memory_order_relaxed);
  generation_ = generation;
  publish();
}

// State of this ring for the service and a successor. The generation is stored when the words that
// belong to it are in place, and the position last: from then on the producer may overwrite what
// was read.
void RingDrain::publish() {
  shm::ConsumerPositionLine& line = metadata_->consumer;
  line.next_sequence.store(cursor_.next_sequence, std::memory_order_relaxed);
  line.last_tsc.store(cursor_.last_tsc, std::memory_order_relaxed);
  line.booked_drops.store(cursor_.booked_drops, std::memory_order_relaxed);
  line.booked_consumer_absent.store(cursor_.booked_consumer_absent, std::memory_order_relaxed);
  metadata_->identity.consumed_processor.store(
      shm::make_consumed_processor(cursor_.processor, pos_), std::memory_order_relaxed);
  line.generation.store(generation_, std::memory_order_release);
  // Pairs with the producer's acquire before it writes there again.
  line.consumer_pos.store(pos_, std::memory_order_release);
}

RingDrain::Result RingDrain::drain(std::uint64_t most_bytes, const DrainWay& way) {
  if (quarantined_) return Result::kDone;
  // Pairs with the producer's release: everything before `end` is written.
  const std::uint64_t end = metadata_->producer.producer_pos.load(std::memory_order_acquire);
  if (segment_->truncated()) {
    quarantine(Quarantine::kTruncated, {}, way.log);
    return Result::kDone;
  }
  if (end - pos_ > segment_->layout().ring_bytes) {
    quarantine(Quarantine::kPosition, "invalid producer position", way.log);
    return Result::kDone;
  }
  last_fill_ = end - pos_;
  if (end == pos_) return Result::kDone;
  if (last_fill_ > high_water_) {
    high_water_ = last_fill_;
    metadata_->consumer.high_water_bytes.store(high_water_, std::memory_order_relaxed);
  }
  if (way.dictionary.update() == DictionaryFeed::Result::kNoSpace) return Result::kNoSpace;
  if (!enter_stream(way.file, RingOwner::read(metadata_->identity))) return Result::kNoSpace;
  const std::uint64_t begin = pos_;
  while (pos_ != end && !quarantined_) {
    if (pos_ - begin >= most_bytes) return Result::kMore;
    if (drain_batch(way, end) == Result::kNoSpace) return Result::kNoSpace;
    space_wake_.read_up_to(pos_);
  }
  return Result::kDone;
}

RingDrain::Result RingDrain::drain_batch(const DrainWay& way, std::uint64_t end) {
  const std::byte* const ring = segment_->ring_bytes(index_);
  if (ring == nullptr) {
    quarantine(Quarantine::kMapping, "its memory cannot be mapped", way.log);
    return Result::kDone;
  }
  const std::uint64_t available = end - pos_;
  std::uint64_t bytes = std::min(available, kDrainBatchBytes);
  for (;;) {
    // Before the copy: with more services than staging slots, most find no space in a round.
    if (way.file.space(encoder_room(bytes)).empty()) return Result::kNoSpace;
    // Makes a private copy first: the service may change the ring during the check.
    way.scratch.resize(std::max<std::size_t>(way.scratch.size(), bytes));
    std::memcpy(way.scratch.data(), ring + (pos_ & (segment_->layout().ring_bytes - 1)), bytes);
    if (segment_->truncated()) {
      // The copy may contain the zeros that replace missing pages.
      quarantine(Quarantine::kTruncated, {}, way.log);
      return Result::kDone;
    }
    const std::uint64_t records_before = way.counts->records;
    if (way.taker != nullptr) {
      const RingOwner owner = RingOwner::read(metadata_->identity);
      way.taker->take(
          way.dictionary.sites(),
          {index_, owner, cursor_, pos_, std::span<const std::byte>(way.scratch).first(bytes)});
    }
    const bool is_watched = way.watch != nullptr && way.watch->concerns(way.dictionary.sites());
    if (is_watched) enter_watched();
    const Encoded encoded =
        encode(way, std::span<const std::byte>(way.scratch).first(bytes), shm::read_tsc(), true);
    if (is_watched) {
      // Checks whole records, as they were recorded, each of them once.
      bool sound = true;
      way.watch->look(way.dictionary.sites(),
                      std::span<const std::byte>(way.scratch).first(encoded.consumed),
                      RingOwner::read(metadata_->identity), way.pass, watched_, &sound);
      watched_pos_ = pos_;
    }
    if (encoded.no_space) return Result::kNoSpace;
    drained_bytes_ += encoded.consumed;
    drained_records_ += way.counts->records - records_before;
    if (encoded.given_up || encoded.consumed > 0) return Result::kDone;
    // Not even one record was encoded: it is larger than the batch, or not a record.
    const std::uint64_t larger = std::min<std::uint64_t>(available, shm::kMaxRecordBytes);
    if (bytes >= larger) {
      quarantine(Quarantine::kRecord, "unterminated record", way.log);
      return Result::kDone;
    }
    bytes = larger;
  }
}

// What the watch knows is as the service stated it: rules may have hidden values in the cursor.
void RingDrain::enter_watched() {
  watched_.processor = cursor_.processor;
  if (watched_pos_ != pos_) watched_.context.begin(cursor_.context);
}

RingDrain::Encoded RingDrain::encode(const DrainWay& way, std::span<const std::byte> records,
                                     std::uint64_t consumer_tsc, bool samples) {
  RecordPass* const pass =
      way.pass != nullptr && way.pass->concerns(way.dictionary.sites()) ? way.pass : nullptr;
  const std::uint64_t left_out_before = pass == nullptr ? 0 : pass->left_out();
  const bool thinned = way.taker != nullptr && way.taker->thins();
  if (thinned) records = way.taker->thin(way.dictionary.sites(), records);
  if (pass != nullptr) {
    records = pass->look(way.dictionary.sites(), records, shm::read_tsc(), samples);
    // The context in force was stated under other rules, or to another consumer.
    if (pass->redaction(cursor_.context.site_id) != nullptr) {
      cursor_.context = pass->hidden(way.dictionary.sites(), cursor_.context);
    }
  }
  Encoded encoded;
  const std::span<std::byte> out = way.file.space(encoder_room(records.size()));
  if (out.empty()) {
    encoded.no_space = true;
    return encoded;
  }
  const trace::EncodeResult result =
      way.encoder.encode(records, cursor_, way.watermark_tsc, consumer_tsc, out);
  encoded.consumed = result.consumed_bytes;
  if (pass != nullptr) {
    encoded.consumed = pass->settle(result.consumed_bytes);
    way.counts->sampled += pass->left_out() - left_out_before;
  }
  if (thinned) encoded.consumed = way.taker->untrimmed(encoded.consumed);
  if (encoded.consumed > 0 || result.output_bytes > 0) accept(way, result, encoded.consumed);
  const char* corrupt = nullptr;
  if (result.stop == trace::EncodeStop::kCorrupt) {
    corrupt = result.corrupt_reason;
  } else if (pass != nullptr && result.consumed_bytes == records.size()) {
    corrupt = pass->corrupt_reason();
  }
  if (corrupt != nullptr) {
    quarantine(way.dictionary.damaged() ? Quarantine::kDictionary : Quarantine::kRecord,
               std::string(corrupt) + " at position " + std::to_string(pos_), way.log);
    encoded.given_up = true;
  }
  return encoded;
}

void RingDrain::accept(const DrainWay& way, const trace::EncodeResult& result,
                       std::uint64_t consumed) {
  context_.keep(cursor_.context, pos_ + consumed, pos_);
  pos_ += consumed;
  if (result.output_bytes > 0) {
    shm::JournalEntry entry{};
    entry.ring_index = index_;
    entry.generation = generation_;
    entry.consumer_pos = pos_;
    entry.next_sequence = cursor_.next_sequence;
    entry.last_tsc = cursor_.last_tsc;
    entry.booked_drops = cursor_.booked_drops;
    entry.booked_consumer_absent = cursor_.booked_consumer_absent;
    way.file.commit(result.output_bytes, entry, cursor_.processor);
    journaled_pos_ = pos_;
  }
  publish();
  way.counts->records += result.records;
  way.counts->dropped += result.dropped;
  way.counts->ring_bytes += consumed;
  way.counts->file_bytes += result.output_bytes;
}

void RingDrain::publish_nested() {
  const shm::NestedRecords* const nested = segment_->nested(index_);
  if (nested == nullptr || quarantined_ || segment_->truncated()) return;
  std::uint64_t begin = pos_;
  if (segment_->header().sub_buffer_bytes != 0) {
    const auto oldest = shm::load_oldest(metadata_->producer.oldest);
    if (!oldest) return;
    begin = oldest->pos;
  }
  const std::uint64_t end = metadata_->producer.producer_pos.load(std::memory_order_acquire);
  const shm::NestedRest rest =
      shm::nested_rest(shm::load_nested(*nested), end, begin + segment_->layout().ring_bytes);
  for (std::size_t i = 0; i < rest.gap_count; ++i) {
    const shm::WholeRange& gap = rest.gaps[i];
    if (!segment_->write_ring_word(index_, gap.begin, shm::gap_head(gap))) return;
  }
  // Last: if this process dies earlier, its successor finds everything unchanged.
  if (rest.end != end) metadata_->producer.producer_pos.store(rest.end, std::memory_order_release);
}

std::uint64_t RingDrain::unread_bytes() const {
  if (quarantined_) return 0;
  return std::min(metadata_->producer.producer_pos.load(std::memory_order_relaxed) - pos_,
                  segment_->layout().ring_bytes);
}

void RingDrain::move_to(std::uint32_t share) {
  share_ = share;
  announced_ = false;
  held_pos_ = 0;
  awaited_pos_ = reported_pos_ == journaled_pos_ ? 0 : journaled_pos_;
}

// Two files are written independently of each other: what is in the second one counts when the
// first one has everything before it.
void RingDrain::written(const shm::JournalEntry& entry) {
  // Also those of a former owner of the ring: positions never begin again.
  std::uint64_t pos = entry.consumer_pos;
  if (awaited_pos_ != 0 && pos > awaited_pos_) {
    held_pos_ = pos;
    return;
  }
  if (pos == awaited_pos_) {
    awaited_pos_ = 0;
    pos = std::max(pos, held_pos_);
  }
  reported_pos_ = pos;
  metadata_->consumer.written_pos.store(pos, std::memory_order_release);
}

void RingDrain::quarantine(Quarantine reason, const std::string& what, const Log& log) {
  quarantined_ = true;
  last_fill_ = 0;  // a ring that is no longer drained must not set the pace
  metadata_->consumer.quarantine.store(static_cast<std::uint32_t>(reason),
                                       std::memory_order_relaxed);
  if (reason == Quarantine::kTruncated) return;  // logged once, for the whole segment
  log.error("ring " + std::to_string(index_) + " of " + segment_->name() + " quarantined: " + what +
                "; " +
                (reason == Quarantine::kMapping
                     ? "raise vm.max_map_count and the limit on address space (ulimit -v), then "
                       "restart consumerd"
                     : "the service probably overwrote its ring (stray write)"),
            {{"segment", segment_->name()}});
}

}  // namespace ringside::consumer
