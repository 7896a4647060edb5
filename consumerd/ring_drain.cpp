#include "consumerd/ring_drain.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {
namespace {

// Copied out of the ring at a time: fits the second-level cache together with its encoding.
constexpr std::uint64_t kBatchBytes = 64U << 10;
constexpr std::size_t kStreamBlockBytes = 128;

using ThreadName = char[sizeof shm::IdentityLine::thread_name];

// Of the stream that has the ring; its name lies in `name`.
trace::StreamBlock stream_block(const shm::IdentityLine& identity, std::uint32_t ring_index,
                                ThreadName& name) {
  trace::StreamBlock block;
  block.stream_id = identity.stream_id;
  block.start_tsc = identity.start_tsc;
  block.thread_id = identity.thread_id;
  block.ring_index = ring_index;
  std::memcpy(name, identity.thread_name, sizeof name);
  block.thread_name = std::string_view(name, strnlen(name, sizeof name));
  return block;
}

// What the encoder wants for a record of `bytes`.
constexpr std::size_t output_room(std::size_t bytes) {
  return 2 * bytes + 4096;
}

}  // namespace

RingDrain::RingDrain(AttachedSegment& segment, std::uint32_t index)
    : segment_(&segment), metadata_(&segment.ring(index)), index_(index) {
  const shm::ConsumerPositionLine& line = metadata_->consumer;
  generation_ = line.generation.load(std::memory_order_relaxed);
  pos_ = line.consumer_pos.load(std::memory_order_relaxed);
  cursor_.next_sequence = line.next_sequence.load(std::memory_order_relaxed);
  cursor_.last_tsc = line.last_tsc.load(std::memory_order_relaxed);
  cursor_.booked_drops = line.booked_drops.load(std::memory_order_relaxed);
  // What an earlier consumer took is in its files, by its own hand or by recovery.
  metadata_->consumer.written_pos.store(pos_, std::memory_order_relaxed);
  // What made an earlier consumer give up may have passed.
  metadata_->consumer.quarantine.store(0, std::memory_order_relaxed);
}

// Learns who owns the ring now. The owner cannot have changed while anything of the one before
// was left in the ring: reuse waits for that.
bool RingDrain::enter_stream(TraceFile& file) {
  const shm::IdentityLine& identity = metadata_->identity;
  // Pairs with the release at the claim; the owner's first producer_pos came after it.
  const std::uint32_t generation = identity.generation.load(std::memory_order_acquire);
  if (generation == generation_ && announced_) return true;
  ThreadName name;
  const trace::StreamBlock block = stream_block(identity, index_, name);
  const std::span<std::byte> out = file.space(kStreamBlockBytes);
  if (out.empty()) return false;
  file.commit(trace::write_stream_block(block, out));
  announced_ = true;
  cursor_.stream_id = block.stream_id;
  if (generation != generation_) adopt_generation(generation);
  return true;
}

void RingDrain::restate_stream(std::vector<std::byte>* front) {
  restated_ = false;
  const shm::IdentityLine& identity = metadata_->identity;
  // A retired stream says no more, and one that is new is told of when it says something.
  if (!announced_ || quarantined_ ||
      identity.state.load(std::memory_order_acquire) ==
          static_cast<std::uint32_t>(shm::RingState::kRetired) ||
      identity.generation.load(std::memory_order_acquire) != generation_) {
    return;
  }
  ThreadName name;
  const trace::StreamBlock block = stream_block(identity, index_, name);
  // Somebody else's by now?
  if (block.stream_id != cursor_.stream_id) return;
  const std::size_t from = front->size();
  front->resize(from + kStreamBlockBytes);
  front->resize(from + trace::write_stream_block(block, std::span(*front).subspan(from)));
  restated_ = true;
}

void RingDrain::adopt_generation(std::uint32_t generation) {
  cursor_.next_sequence = 0;
  cursor_.last_tsc = metadata_->identity.start_tsc;
  cursor_.booked_drops = 0;
  generation_ = generation;
  publish();
}

// What the service and a successor may know of this ring. The generation is stored when the
// words that belong to it are in place, the position last of all: from then on the producer may
// overwrite what was read.
void RingDrain::publish() {
  shm::ConsumerPositionLine& line = metadata_->consumer;
  line.next_sequence.store(cursor_.next_sequence, std::memory_order_relaxed);
  line.last_tsc.store(cursor_.last_tsc, std::memory_order_relaxed);
  line.booked_drops.store(cursor_.booked_drops, std::memory_order_relaxed);
  line.generation.store(generation_, std::memory_order_release);
  // Pairs with the producer's acquire before it writes there again.
  line.consumer_pos.store(pos_, std::memory_order_release);
}

RingDrain::Result RingDrain::drain(TraceFile& file, DictionaryFeed& dictionary,
                                   trace::ExtentEncoder& encoder, std::vector<std::byte>& scratch,
                                   std::uint64_t watermark_tsc, DrainCounts* counts,
                                   const Log& log) {
  if (quarantined_) return Result::kDone;
  // Pairs with the producer's release: everything before `end` is written.
  const std::uint64_t end = metadata_->producer.producer_pos.load(std::memory_order_acquire);
  if (segment_->truncated()) {
    quarantine(Quarantine::kTruncated, {}, log);
    return Result::kDone;
  }
  if (end - pos_ > segment_->layout().ring_bytes) {
    quarantine(Quarantine::kPosition, "its producer position is impossible", log);
    return Result::kDone;
  }
  last_fill_ = end - pos_;
  if (end == pos_) return Result::kDone;
  if (dictionary.update() == DictionaryFeed::Result::kNoSpace) return Result::kNoSpace;
  if (!enter_stream(file)) return Result::kNoSpace;
  while (pos_ != end && !quarantined_) {
    if (drain_batch(file, dictionary, encoder, scratch, end, watermark_tsc, counts, log) ==
        Result::kNoSpace) {
      return Result::kNoSpace;
    }
  }
  return Result::kDone;
}

RingDrain::Result RingDrain::drain_batch(TraceFile& file, const DictionaryFeed& dictionary,
                                         trace::ExtentEncoder& encoder,
                                         std::vector<std::byte>& scratch, std::uint64_t end,
                                         std::uint64_t watermark_tsc, DrainCounts* counts,
                                         const Log& log) {
  const std::byte* const ring = segment_->ring_bytes(index_);
  if (ring == nullptr) {
    quarantine(Quarantine::kMapping, "its memory cannot be mapped", log);
    return Result::kDone;
  }
  const std::uint64_t available = end - pos_;
  std::uint64_t bytes = std::min(available, kBatchBytes);
  for (;;) {
    const std::span<std::byte> out = file.space(output_room(bytes));
    if (out.empty()) return Result::kNoSpace;
    // A private copy first: the service may scribble on the ring while we look at it.
    scratch.resize(std::max<std::size_t>(scratch.size(), bytes));
    std::memcpy(scratch.data(), ring + (pos_ & (segment_->layout().ring_bytes - 1)), bytes);
    if (segment_->truncated()) {
      // What was copied may be the zeros that stand in for the missing pages.
      quarantine(Quarantine::kTruncated, {}, log);
      return Result::kDone;
    }
    const trace::EncodeResult result =
        encoder.encode(std::span<const std::byte>(scratch).first(bytes), cursor_, watermark_tsc,
                       shm::read_tsc(), out);
    if (result.consumed_bytes > 0 || result.output_bytes > 0) {
      accept(file, result, result.consumed_bytes, counts);
    }
    if (result.stop == trace::EncodeStop::kCorrupt) {
      quarantine(dictionary.damaged() ? Quarantine::kDictionary : Quarantine::kRecord,
                 std::string(result.corrupt_reason) + " at position " +
                     std::to_string(pos_ + result.corrupt_offset - result.consumed_bytes),
                 log);
      return Result::kDone;
    }
    if (result.consumed_bytes > 0) return Result::kDone;
    // Not even one record: it is larger than the batch, or none at all.
    const std::uint64_t larger = std::min<std::uint64_t>(available, shm::kMaxRecordBytes);
    if (bytes >= larger) {
      quarantine(Quarantine::kRecord, "a record has no end", log);
      return Result::kDone;
    }
    bytes = larger;
  }
}

void RingDrain::accept(TraceFile& file, const trace::EncodeResult& result, std::uint64_t consumed,
                       DrainCounts* counts) {
  pos_ += consumed;
  if (result.output_bytes > 0) {
    shm::JournalEntry entry{};
    entry.ring_index = index_;
    entry.generation = generation_;
    entry.consumer_pos = pos_;
    entry.next_sequence = cursor_.next_sequence;
    entry.last_tsc = cursor_.last_tsc;
    entry.booked_drops = cursor_.booked_drops;
    file.commit(result.output_bytes, entry);
  }
  publish();
  counts->records += result.records;
  counts->dropped += result.dropped;
  counts->ring_bytes += consumed;
  counts->file_bytes += result.output_bytes;
}

RingDrain::Result RingDrain::book_final_drops(TraceFile& file, trace::ExtentEncoder& encoder,
                                              std::uint64_t watermark_tsc, bool service_ended,
                                              DrainCounts* counts) {
  if (quarantined_ || has_data()) return Result::kDone;
  const shm::IdentityLine& identity = metadata_->identity;
  // The generation first: if state and counters turn out to be those of a successor, which has
  // taken the drained ring meanwhile, the second look at it below says so.
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
    // Its owner left no trace. The ring is drained all the same, and only this says so: without
    // it, nobody could take the ring again.
    if (fresh) {
      announced_ = false;
      cursor_.stream_id = identity.stream_id;
      adopt_generation(generation);
    }
    return Result::kDone;
  }
  const std::uint64_t untold = total - booked;
  if (!enter_stream(file)) return Result::kNoSpace;
  const std::span<std::byte> out = file.space(output_room(shm::kDropRecordBytes));
  if (out.empty()) return Result::kNoSpace;
  const bool full = counters.dropped_ring_full.load(std::memory_order_relaxed) != 0;
  const bool absent = counters.dropped_consumer_absent.load(std::memory_order_relaxed) != 0;
  const auto cause = full && absent ? shm::DropCause::kMixed
                     : absent       ? shm::DropCause::kConsumerAbsent
                                    : shm::DropCause::kRingFull;
  // The mark that the thread would have written had it logged once more.
  std::uint64_t words[3] = {shm::make_head(cursor_.last_tsc, shm::kCodeDrop), untold,
                            static_cast<std::uint32_t>(cause)};
  const trace::EncodeResult result =
      encoder.encode(std::as_bytes(std::span(words)), cursor_, watermark_tsc, shm::read_tsc(), out);
  accept(file, result, 0, counts);
  return Result::kDone;
}

void RingDrain::written(const shm::JournalEntry& entry) {
  if (entry.generation != generation_) return;
  metadata_->consumer.written_pos.store(entry.consumer_pos, std::memory_order_release);
}

void RingDrain::quarantine(Quarantine reason, const std::string& what, const Log& log) {
  quarantined_ = true;
  last_fill_ = 0;  // a ring that nobody drains any more sets no pace
  metadata_->consumer.quarantine.store(static_cast<std::uint32_t>(reason),
                                       std::memory_order_relaxed);
  if (reason == Quarantine::kTruncated) return;  // said once, for the whole segment
  log.error("ring " + std::to_string(index_) + " of " + segment_->name() + " is given up: " + what +
            "; " +
            (reason == Quarantine::kMapping
                 ? "raise vm.max_map_count and the limit on address space, then restart consumerd"
                 : "something in the service writes to memory that is not its own"));
}

}  // namespace ringside::consumer
