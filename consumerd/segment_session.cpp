#include "consumerd/segment_session.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "consumerd/section_front.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t kPointBytes = 256U << 10;  // encoded, between two sequence points
constexpr auto kPointInterval = std::chrono::milliseconds(20);
constexpr auto kClockInterval = std::chrono::seconds(1);
constexpr auto kOldestByte = std::chrono::milliseconds(100);
constexpr auto kNameInterval = std::chrono::milliseconds(100);

}  // namespace

SegmentSession::SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log)
    : log_(log), segment_(std::move(segment)) {}

std::unique_ptr<SegmentSession> SegmentSession::start(std::unique_ptr<AttachedSegment> segment,
                                                      const std::string& output_dir,
                                                      SlotWriter& writer, StagingFile& staging,
                                                      const Log& log, std::string* why) {
  std::unique_ptr<SegmentSession> session(new SegmentSession(std::move(segment), log));
  SegmentSession* const self = session.get();
  AttachedSegment& attached = *session->segment_;
  const shm::SegmentHeader& header = attached.header();
  if (header.tsc_frequency_hz == 0) {
    *why = attached.name() + " is damaged: its clock has no frequency";
    return nullptr;
  }
  session->file_ = TraceFile::open(
      output_dir, attached.name(), header, writer, staging,
      [self](const shm::JournalEntry& entry) {
        if (entry.ring_index < self->rings_.size()) self->rings_[entry.ring_index].written(entry);
      },
      why);
  if (session->file_ == nullptr) return nullptr;
  session->dictionary_ = std::make_unique<DictionaryFeed>(attached, *session->file_, log);
  session->encoder_ = std::make_unique<trace::ExtentEncoder>(session->dictionary_->sites());
  session->clock_ = std::make_unique<trace::ClockSteering>(
      trace::ClockSteering::Start{header.start_tsc, header.start_monotonic_ns,
                                  header.start_realtime_ns, header.tsc_frequency_hz});
  session->same_boot_ = is_this_boot(header.boot_id);
  session->take_over_clock();
  session->clock_before_ = session->clock_->first();
  session->last_point_ = steady_clock::now();
  shm::ConsumerLine& line = attached.control().consumer;
  // Before anything is committed.
  session->name_staging(staging);
  line.pid.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
  line.session.fetch_add(1, std::memory_order_relaxed);
  session->flush_seen_ = line.flush_done.load(std::memory_order_relaxed);
  // If no slot is free now, the first round tries again.
  session->begun_ = session->begin_section();
  line.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling),
                   std::memory_order_release);
  return session;
}

bool SegmentSession::begin_section() {
  const std::span<std::byte> out = file_->space(kSectionFrontBytes);
  if (out.empty()) return false;
  const trace::ClockPoint first = clock_->first();
  const trace::ClockPoint last = clock_->last();
  std::size_t bytes =
      trace::write_header_block(section_header(segment_->header(), file_->sequence()), out);
  bytes += trace::write_clock_block(first, out.subspan(bytes));
  if (last.tsc0 != first.tsc0) bytes += trace::write_clock_block(last, out.subspan(bytes));
  file_->commit(bytes);
  begun_ = true;
  section_start_ = steady_clock::now();
  if (segment_->control().consumer_clock.steps.load(std::memory_order_relaxed) == 0) {
    tell_successor(first);
    write_clock();  // without room now, poll() writes the next one
  } else {
    // Records may lie in the rings that are older than a step made now, and than the one before if
    // several consumers died without a look at them: the two steps that a section begins with must
    // reach back to them. The next step comes when the rings have been empty.
    last_clock_ = steady_clock::now();
  }
  return true;
}

// Times go on where the consumer before stopped; the first one has the service's whole run to
// measure the rate by.
void SegmentSession::take_over_clock() {
  const shm::ConsumerClock& left = segment_->control().consumer_clock;
  // Pairs with the release in tell_successor().
  const std::uint64_t steps = left.steps.load(std::memory_order_acquire);
  const auto step = [&left](std::uint64_t number) {
    const shm::ClockStep& from = left.step[(number - 1) % shm::kClockSteps];
    trace::ClockPoint point;
    point.tsc0 = from.tsc0.load(std::memory_order_relaxed);
    point.unix_ns0 = from.unix_ns0.load(std::memory_order_relaxed);
    point.ns_per_tick = from.ns_per_tick.load(std::memory_order_relaxed);
    return point;
  };
  if (steps > 0 && clock_->resume(step(steps > 1 ? steps - 1 : steps), step(steps))) return;
  if (!same_boot_) return;
  const shm::ClockReading now = shm::read_clocks();
  clock_->measure({now.tsc, now.monotonic_ns, now.realtime_ns});
}

void SegmentSession::tell_successor(const trace::ClockPoint& point) {
  shm::ConsumerClock& clock = segment_->control().consumer_clock;
  const std::uint64_t steps = clock.steps.load(std::memory_order_relaxed);
  shm::ClockStep& step = clock.step[steps % shm::kClockSteps];
  step.tsc0.store(point.tsc0, std::memory_order_relaxed);
  step.unix_ns0.store(point.unix_ns0, std::memory_order_relaxed);
  step.ns_per_tick.store(point.ns_per_tick, std::memory_order_relaxed);
  clock.steps.store(steps + 1, std::memory_order_release);
}

bool SegmentSession::write_clock() {
  last_clock_ = steady_clock::now();
  if (!same_boot_) return true;  // only the service's own reading is of its clock
  const std::span<std::byte> out = file_->space(256);
  if (out.empty()) return false;
  const shm::ClockReading now = shm::read_clocks();
  clock_before_ = clock_->last();
  const trace::ClockPoint point = clock_->next({now.tsc, now.monotonic_ns, now.realtime_ns});
  file_->commit(trace::write_clock_block(point, out));
  tell_successor(point);
  return true;
}

bool SegmentSession::write_sequence_point(std::uint64_t watermark_tsc) {
  moved_.clear();
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const trace::StreamCursor& cursor = rings_[i].cursor();
    // By stream too: the successor of a thread may stand where that one stood.
    if (cursor.next_sequence == told_[i].next_sequence && cursor.stream_id == told_[i].stream_id) {
      continue;
    }
    moved_.push_back({cursor.stream_id, cursor.next_sequence});
  }
  const std::span<std::byte> out = file_->space(64 + moved_.size() * sizeof(trace::StreamPosition));
  if (out.empty()) return false;
  file_->commit(trace::write_sequence_point_block(watermark_tsc, moved_, out));
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    told_[i] = {rings_[i].cursor().stream_id, rings_[i].cursor().next_sequence};
  }
  watermark_tsc_ = watermark_tsc;
  bytes_since_point_ = 0;
  last_point_ = steady_clock::now();
  return true;
}

void SegmentSession::follow_rings() {
  const std::uint32_t used = segment_->rings_used();
  while (rings_.size() < used) {
    rings_.emplace_back(*segment_, static_cast<std::uint32_t>(rings_.size()));
    told_.push_back({rings_.back().cursor().stream_id, rings_.back().cursor().next_sequence});
  }
}

// Whether what is taken from the rings now gets into a file that has its name.
bool SegmentSession::is_writable(steady_clock::time_point now) {
  const bool writable = !file_->stalled() && keeps_name(now);
  // No heartbeat: a service that waits for space waits for its bound once, not every time.
  segment_->control().consumer.state.store(
      static_cast<std::uint32_t>(writable ? shm::ConsumerState::kPolling
                                          : shm::ConsumerState::kStalled),
      std::memory_order_relaxed);
  return writable;
}

// False if the present file has lost its name and there is no next one.
bool SegmentSession::keeps_name(steady_clock::time_point now) {
  if (!begun_) return true;
  if (!astray_ && now - last_name_check_ >= kNameInterval) {
    last_name_check_ = now;
    astray_ = file_->astray();
    if (astray_) {
      rotation_retry_ = now;
      log_.error(file_->path() +
                 " was removed, moved or replaced; its trace goes on in a new file");
    }
  }
  if (astray_ && now >= rotation_retry_) change_file();
  return !astray_;
}

RoundResult SegmentSession::poll() {
  RoundResult result;
  shm::ControlPage& control = segment_->control();
  if (!is_writable(steady_clock::now())) return result;
  control.consumer.heartbeat.fetch_add(1, std::memory_order_relaxed);
  // Every record published from here on is younger than the watermark of this round, but for
  // those of threads that were stopped between reading the clock and publishing.
  const std::uint64_t round_tsc = shm::read_tsc();
  // Pairs with flush(): what was published before the request is drained in this round.
  const std::uint64_t flush = control.service.flush_request.load(std::memory_order_acquire);
  if (!begun_ && !begin_section()) {
    result.starved = true;
    return result;
  }
  if (!file_->advance()) {
    result.starved = true;
    return result;
  }
  follow_rings();
  const std::uint64_t file_bytes_before = counts_.file_bytes;
  result.starved = !drain_rings(segment_->layout().ring_bytes, &result);
  bytes_since_point_ += counts_.file_bytes - file_bytes_before;
  if (result.starved) return result;
  const auto now = steady_clock::now();
  control.consumer.heartbeat_monotonic_ns.store(
      static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count()),
      std::memory_order_relaxed);
  const bool flushing = flush > flush_seen_;
  if (bytes_since_point_ > 0 &&
      (flushing || bytes_since_point_ >= kPointBytes || now - last_point_ >= kPointInterval)) {
    result.starved = !write_sequence_point(round_tsc);
  }
  if (rotation_is_due(now) && !rotate(round_tsc)) result.starved = true;
  if (flushing) {
    file_->seal();
    flush_seen_ = flush;
    flush_sealed_ = file_->sealed();
  } else if (file_->oldest() < now - kOldestByte) {
    file_->seal();
  }
  answer_flush();
  return result;
}

// False if staging is full; the next round then begins with the ring that found it so, or else
// the last rings would never be drained while the disk is the slowest part.
bool SegmentSession::drain_rings(std::uint64_t ring_bytes, RoundResult* result) {
  const std::size_t count = rings_.size();
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index =
        first_ring_ + step < count ? first_ring_ + step : first_ring_ + step - count;
    RingDrain& ring = rings_[index];
    if (!ring.has_data()) continue;
    const std::uint64_t before = counts_.ring_bytes;
    const bool clock_due =
        result->ring_bytes == 0 && steady_clock::now() - last_clock_ >= kClockInterval;
    if ((clock_due && !write_clock()) ||
        ring.drain(*file_, *dictionary_, *encoder_, scratch_, watermark_tsc_, &counts_, log_) ==
            RingDrain::Result::kNoSpace) {
      first_ring_ = index;
      return false;
    }
    result->ring_bytes += counts_.ring_bytes - before;
    result->fullest_permille =
        std::max(result->fullest_permille, ring.fill_bytes() * 1000 / ring_bytes);
  }
  return true;
}

void SegmentSession::answer_flush() {
  shm::ConsumerLine& line = segment_->control().consumer;
  if (line.flush_done.load(std::memory_order_relaxed) == flush_seen_) return;
  if (file_->written() < flush_sealed_) return;
  // Pairs with the acquire in flush(): the bytes are in the file.
  line.flush_done.store(flush_seen_, std::memory_order_release);
}

void SegmentSession::tend() {
  if (astray_ || file_->stalled()) return;
  for (RingDrain& ring : rings_) {
    if (ring.book_final_drops(*file_, *encoder_, watermark_tsc_, false, &counts_) ==
        RingDrain::Result::kNoSpace) {
      return;
    }
  }
}

void SegmentSession::begin_end(trace::EndReason reason) {
  if (ending_) return;
  ending_ = true;
  end_reason_ = reason;
}

SegmentSession::End SegmentSession::try_end() {
  if (!finished_ && !is_writable(steady_clock::now())) return End::kStalled;
  if (!finished_) finished_ = finish();
  if (!finished_ || !file_->advance()) return End::kNoSpace;
  if (file_->all_written()) return End::kOver;
  return file_->stalled() ? End::kStalled : End::kWriting;
}

bool SegmentSession::finish() {
  if (!begun_ && !begin_section()) return false;
  // Before the last look at the rings: a service that lives on goes on from here.
  const std::uint64_t watermark_tsc = shm::read_tsc();
  follow_rings();
  const bool service_ended = end_reason_ == trace::EndReason::kServiceEnded;
  for (RingDrain& ring : rings_) {
    if (ring.drain(*file_, *dictionary_, *encoder_, scratch_, watermark_tsc_, &counts_, log_) ==
            RingDrain::Result::kNoSpace ||
        ring.book_final_drops(*file_, *encoder_, watermark_tsc_, service_ended, &counts_) ==
            RingDrain::Result::kNoSpace) {
      return false;
    }
  }
  if (!write_sequence_point(watermark_tsc)) return false;
  file_->finish(section_end(end_reason_));
  return true;
}

void SegmentSession::leave() {
  shm::ConsumerLine& line = segment_->control().consumer;
  answer_flush();
  std::memset(line.staging_uuid, 0, sizeof line.staging_uuid);
  line.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kDetached),
                   std::memory_order_relaxed);
  // One that was cut short is of no use to anybody, and when its service ends nobody would be there
  // to remove it.
  if (end_reason_ == trace::EndReason::kServiceEnded || truncated()) segment_->unlink_file();
}

}  // namespace ringside::consumer
