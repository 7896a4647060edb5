#include "consumerd/sessions/session_tap.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_name.hpp"
#include "trace-format/codec/untold_drops.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kStreamBlockBytes = 128;
constexpr std::size_t kMostChunkBytes = 64U << 10;
// Hiding values can make records longer: then fewer of them are encoded at a time.
constexpr std::size_t kMostHiddenChunkBytes = 4U << 10;

// Several extents may be needed, because each drop record begins one; a longer chunk is one record.
constexpr std::size_t room_for(std::size_t bytes) {
  return kStreamBlockBytes +
         (bytes <= 2 * kMostChunkBytes ? 4 * bytes + (64U << 10) : 2 * bytes + (16U << 10));
}

std::uint64_t load_u64(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

SessionTap::SessionTap(TraceSession& session, const TapSource& source)
    : session_(session),
      source_(source),
      header_(std::make_unique<shm::SegmentHeader>()),
      choice_(session.spec(), std::string(shm::service_of_segment_name(source.segment.name())),
              source.segment.header().pid, source.segment.header().tsc_frequency_hz, source.log),
      last_point_(std::chrono::steady_clock::now()) {}

std::unique_ptr<SessionTap> SessionTap::open(TraceSession& session, const TapSource& source,
                                             std::string* why) {
  std::unique_ptr<SessionTap> tap(new SessionTap(session, source));
  const shm::SegmentHeader& segment = source.segment.header();
  std::memcpy(static_cast<void*>(tap->header_.get()), static_cast<const void*>(&segment),
              sizeof segment);
  const shm::SessionUuid uuid = shm::uuid_in_session(segment.uuid, session.spec().uuid);
  std::copy(uuid.begin(), uuid.end(), tap->header_->uuid);
  tap->cursors_ = SessionCursors::open(session.shm_dir(), segment.uuid, session.spec().uuid,
                                       source.segment.layout().ring_count, why);
  if (tap->cursors_ == nullptr) return nullptr;
  tap->file_ = TraceFile::open(
      session.spec().output_dir, source.segment.name(), *tap->header_, session.writer(),
      session.staging(), [](const shm::JournalEntry&) {}, why);
  if (tap->file_ == nullptr) return nullptr;
  return tap;
}

void SessionTap::set_rules(std::shared_ptr<const RecordRules> rules) {
  pass_ = RecordPass::of_service(std::move(rules),
                                 std::string(shm::service_of_segment_name(source_.segment.name())),
                                 source_.segment.header().tsc_frequency_hz, source_.log);
  for (RingState& ring : rings_) {
    if (ring.context_known) enter_context(source_.dictionary.sites(), ring);
  }
}

// The state for a batch: that of the ring's present owner, and not before the batch.
SessionTap::RingState& SessionTap::enter(const RingBatch& batch) {
  if (rings_.size() <= batch.ring) rings_.resize(std::size_t{batch.ring} + 1);
  RingState& ring = rings_[batch.ring];
  if (!ring.known) {
    const auto left = cursors_->load(batch.ring);
    if (left && left->generation == batch.owner.generation) {
      ring.stored = *left;
      ring.cursor.next_sequence = left->next_sequence;
      ring.cursor.last_tsc = left->last_tsc;
      ring.kept = true;
      // While this session was absent, others took these records: their number is not known.
      if (left->pos < batch.pos) ++ring.stored.pending_drops;
    } else {
      ring.stored.generation = batch.owner.generation;
      ring.stored.pos = batch.pos;
      ring.stored.pending_drops = left ? left->pending_drops : 0;
    }
    ring.known = true;
  } else if (ring.stored.generation != batch.owner.generation) {
    const std::uint64_t pending = ring.stored.pending_drops;
    ring.stored = {};
    ring.stored.generation = batch.owner.generation;
    ring.stored.pos = batch.pos;
    ring.stored.pending_drops = pending;
    ring.cursor = {};
    ring.processor = 0;
    ring.context.begin({});
    ring.context_known = true;
    ring.announced = false;
    ring.kept = false;
  }
  ring.cursor.stream_id = batch.owner.stream_id;
  if (ring.stored.pos <= batch.pos) {
    ring.stored.pos = batch.pos;
    ring.cursor.last_tsc = batch.cursor.last_tsc;
    ring.processor = batch.cursor.processor;
  }
  // Before anything is committed: recovery only advances a state of the same generation.
  if (!ring.kept) store(batch.ring, &ring);
  return ring;
}

// The main trace's context holds at the beginning of the batch: the session may be further.
void SessionTap::find_context(const trace::SiteTable& sites, const RingBatch& batch,
                              RingState& ring) {
  ring.context.begin(batch.cursor.context);
  ring.processor = batch.cursor.processor;
  const std::size_t end = static_cast<std::size_t>(
      std::min<std::uint64_t>(ring.stored.pos - batch.pos, batch.records.size()));
  for (std::size_t at = 0; at < end;) {
    const trace::RingRecordView record =
        trace::view_ring_record(sites, batch.records.subspan(at, end - at));
    if (record.state != trace::RingRecordView::State::kWhole) break;
    if (record.site != nullptr) ring.context.pass(record);
    if (shm::head_id(record.head) == shm::kCodeClock) {
      ring.processor =
          shm::clock_processor(record.head, load_u64(record.bytes.subspan(shm::kHeadBytes)));
    }
    at += record.bytes.size();
  }
  ring.context_known = true;
  enter_context(sites, ring);
}

// The next record that is written is in the ring's context, wherever that was stated.
void SessionTap::enter_context(const trace::SiteTable& sites, RingState& ring) {
  const trace::StreamContext& stated = ring.context.stated();
  ring.cursor.context = pass_ == nullptr ? stated : pass_->hidden(sites, stated);
}

void SessionTap::store(std::uint32_t index, RingState* ring) {
  ring->stored.next_sequence = ring->cursor.next_sequence;
  ring->stored.last_tsc = ring->cursor.last_tsc;
  ring->kept = cursors_->store(index, ring->stored);
}

void SessionTap::take(const trace::SiteTable& sites, const RingBatch& batch) {
  if (finished_) return;
  choice_.follow(sites);
  RingState& ring = enter(batch);
  if (!ring.context_known) find_context(sites, batch, ring);
  std::size_t at = static_cast<std::size_t>(
      std::min<std::uint64_t>(ring.stored.pos - batch.pos, batch.records.size()));
  const std::size_t from = at;
  while (at < batch.records.size()) {
    const Chunk chunk = choose(sites, batch, at, &ring);
    if (chunk.bytes == 0) break;
    at += chunk.bytes;
    ring.stored.pos = batch.pos + at;
    if (chosen_.empty() || write(sites, batch, chunk, &ring)) continue;
    ring.stored.pending_drops += chunk.records + chunk.dropped;
    session_.counts().dropped += chunk.records;
    enter_context(sites, ring);  // its record may be one of those
  }
  if (at != from) store(batch.ring, &ring);
}

void SessionTap::add_losses(const RingBatch& at, std::uint64_t losses) {
  if (finished_) return;
  RingState& ring = enter(at);
  ring.stored.pending_drops += losses;
  store(at.ring, &ring);
}

SessionTap::Chunk SessionTap::choose(const trace::SiteTable& sites, const RingBatch& batch,
                                     std::size_t at, RingState* ring) {
  const std::size_t most =
      pass_ != nullptr && pass_->concerns(sites) ? kMostHiddenChunkBytes : kMostChunkBytes;
  chosen_.clear();
  Chunk chunk;
  while (at + chunk.bytes < batch.records.size()) {
    const trace::RingRecordView record =
        trace::view_ring_record(sites, batch.records.subspan(at + chunk.bytes));
    if (record.state != trace::RingRecordView::State::kWhole) break;
    const std::uint32_t code = shm::head_id(record.head);
    bool wanted = false;
    if (record.site != nullptr) {
      ring->context.pass(record);
      wanted = choice_.wants(sites, record, {batch.owner, ring->processor, ring->context});
    } else if (code == shm::kCodeDrop) {
      wanted = true;
    } else if (code == shm::kCodeClock) {
      const std::uint64_t tsc = load_u64(record.bytes.subspan(shm::kHeadBytes));
      ring->processor = shm::clock_processor(record.head, tsc);
      // Only the base for the times that follow, and the processor.
      wanted = !chosen_.empty();
      if (!wanted) ring->cursor.last_tsc = tsc;
    }
    if (wanted) {
      if (chosen_.empty()) ring->cursor.processor = ring->processor;
      if (!chosen_.empty() && chosen_.size() + record.bytes.size() > most) break;
      chosen_.insert(chosen_.end(), record.bytes.begin(), record.bytes.end());
      chunk.records += record.site != nullptr ? 1 : 0;
      if (code == shm::kCodeDrop) {
        chunk.dropped += load_u64(record.bytes.subspan(shm::kHeadBytes));
      }
    }
    chunk.bytes += record.bytes.size();
  }
  return chunk;
}

// Appends chosen_, after the losses that are not reported yet. One commit covers all of it. False,
// and nothing has changed, if there is no room.
bool SessionTap::write(const trace::SiteTable& sites, const RingBatch& batch, const Chunk& chunk,
                       RingState* ring) {
  if (!ring->kept || astray_ || !prepare()) return false;
  std::span<const std::byte> records = chosen_;
  if (pass_ != nullptr && pass_->concerns(sites)) {
    records = pass_->look(sites, records, shm::read_tsc(), false);
  }
  const std::span<std::byte> out = file_->space(room_for(records.size()));
  if (out.empty()) return false;
  std::size_t bytes = 0;
  if (!ring->announced) {
    bytes += trace::write_stream_block(batch.owner.stream(batch.ring), out);
  }
  trace::StreamCursor cursor = ring->cursor;
  SessionCounts counted;
  const std::uint64_t now_tsc = shm::read_tsc();
  const auto append = [&](std::span<const std::byte> input) {
    while (!input.empty()) {
      const trace::EncodeResult result =
          source_.encoder.encode(input, cursor, watermark_tsc_, now_tsc, out.subspan(bytes));
      bytes += result.output_bytes;
      counted.records += result.records;
      counted.services_lost += result.dropped;
      // Bytes that are not a record: the main trace quarantines the ring.
      if (result.consumed_bytes == 0 || result.stop == trace::EncodeStop::kCorrupt) return;
      input = input.subspan(result.consumed_bytes);
    }
  };
  if (ring->stored.pending_drops != 0) {
    const auto words =
        trace::drop_record({shm::LossCause::kRingFull, ring->stored.pending_drops}, cursor);
    append(std::as_bytes(std::span(words)));
  }
  append(records);
  if (bytes == 0) return true;
  shm::JournalEntry entry{};
  entry.ring_index = batch.ring;
  entry.generation = ring->stored.generation;
  entry.consumer_pos = ring->stored.pos;
  entry.next_sequence = cursor.next_sequence;
  entry.last_tsc = cursor.last_tsc;
  file_->commit(bytes, entry);
  ring->announced = true;
  ring->cursor = cursor;
  ring->stored.pending_drops = 0;
  pending_bytes_ += bytes;
  section_.records += counted.records;
  section_.dropped += counted.services_lost;
  session_.counts().records += counted.records;
  session_.counts().services_lost += chunk.dropped;
  return true;
}

}  // namespace ringside::consumer
