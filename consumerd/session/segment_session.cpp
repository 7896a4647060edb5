#include "consumerd/session/segment_session.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "consumerd/files/section_front.hpp"
#include "consumerd/metrics/saturating_sum.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

constexpr auto kClockInterval = std::chrono::seconds(1);
constexpr auto kLossInterval = std::chrono::seconds(1);
constexpr auto kOldestByte = std::chrono::milliseconds(100);
// Between snapshots the conversion of ticks to time is adjusted and written at least this often.
constexpr auto kIdleClockInterval = std::chrono::seconds(60);
constexpr std::uint64_t kPeekBytes = 4U << 20;  // of overwritten rings, per round

}  // namespace

SegmentSession::SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log)
    : log_(log),
      segment_(std::move(segment)),
      losses_(*segment_),
      meter_(*segment_, segment_->header().sub_buffer_bytes != 0),
      rotation_(segment_->control(), segment_->name(), log),
      flush_(segment_->control()),
      snapshots_(segment_->control(), segment_->name(), log),
      triggers_(*segment_, log),
      levels_(*segment_),
      overwritten_(segment_->header().sub_buffer_bytes != 0) {}

std::unique_ptr<SegmentSession> SegmentSession::start(std::unique_ptr<AttachedSegment> segment,
                                                      const std::string& output_dir,
                                                      SlotWriter& writer, StagingFile& staging,
                                                      const Log& log, std::string* why) {
  std::unique_ptr<SegmentSession> session(new SegmentSession(std::move(segment), log));
  SegmentSession* const self = session.get();
  AttachedSegment& attached = *session->segment_;
  const shm::SegmentHeader& header = attached.header();
  if (header.tsc_frequency_hz == 0) {
    *why = attached.name() + " is damaged: invalid clock frequency";
    return nullptr;
  }
  session->file_ = TraceFile::open(
      output_dir, attached.name(), header, writer, staging,
      [self](const shm::JournalEntry& entry) {
        if (entry.ring_index < self->rings_.size()) self->rings_[entry.ring_index].written(entry);
      },
      why,
      {attached.control().consumer.session.load(std::memory_order_relaxed) == 0,
       attached.control().consumer.next_file_sequence.load(std::memory_order_relaxed)});
  if (session->file_ == nullptr) {
    attached.publish_state(shm::ConsumerState::kStalled);
    return nullptr;
  }
  session->snapshots_.resume(*session->file_);
  session->dictionary_ = std::make_unique<DictionaryFeed>(attached, *session->file_, log);
  session->encoder_ = std::make_unique<trace::ExtentEncoder>(session->dictionary_->sites());
  session->clock_ = std::make_unique<SegmentClock>(attached);
  shm::ConsumerLine& line = attached.control().consumer;
  // Before anything is committed.
  session->name_staging(staging);
  line.pid.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
  line.session.fetch_add(1, std::memory_order_relaxed);
  session->publish_file_sequence();
  session->was_alive_ = attached.service_alive();
  // If no slot is free now, the first round tries again.
  session->begun_ = session->begin_section();
  line.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling),
                   std::memory_order_release);
  return session;
}

void SegmentSession::publish_file_sequence() {
  segment_->control().consumer.next_file_sequence.store(file_->sequence() + 1,
                                                        std::memory_order_relaxed);
}

bool SegmentSession::begin_section() {
  const std::span<std::byte> out = file_->space(kSectionFrontBytes);
  if (out.empty()) return false;
  std::size_t bytes =
      trace::write_header_block(section_header(segment_->header(), file_->sequence()), out);
  bytes += clock_->write_first_points(out.subspan(bytes));
  file_->commit(bytes);
  begun_ = true;
  rotation_.begin_first_section();
  clock_->begin(*file_);
  return true;
}

bool SegmentSession::report_losses() {
  if (truncated()) return true;
  // No record was drained for statements that have lost everything.
  if (dictionary_->update() == DictionaryFeed::Result::kNoSpace) return false;
  if (!losses_.report(*file_, dictionary_->sites().id_limit(), pass_.get(),
                      &points_.pending_bytes())) {
    return false;
  }
  last_losses_ = steady_clock::now();
  return true;
}

void SegmentSession::set_rules(std::shared_ptr<const RecordRules> rules) {
  next_rules_ = std::move(rules);
}

// First reports what the previous rules left out. False if there is no room for that: nothing may
// be drained under rules that have been replaced.
bool SegmentSession::follow_rules() {
  if (next_rules_ == nullptr) return true;
  if (pass_ != nullptr && begun_ && !overwritten_ && !report_losses()) return false;
  pass_ = RecordPass::of_service(std::exchange(next_rules_, nullptr),
                                 std::string(shm::service_of_segment_name(name())),
                                 segment_->header().tsc_frequency_hz, log_);
  return true;
}

bool SegmentSession::check_overwritten(std::uint64_t most_bytes, RoundResult* result) {
  return triggers_.check_overwritten(most_bytes, rings_.size(), *dictionary_, pass_.get(),
                                     &scratch_, result);
}

DrainWay SegmentSession::drain_way() {
  return {*file_,
          *dictionary_,
          *encoder_,
          pass_.get(),
          triggers_.watch(),
          scratch_,
          points_.watermark_tsc(),
          &counts_,
          log_};
}

void SegmentSession::follow_rings() {
  const std::uint32_t used = segment_->rings_used();
  while (rings_.size() < used) {
    rings_.emplace_back(*segment_, static_cast<std::uint32_t>(rings_.size()), resumed_);
    points_.follow(rings_.back());
  }
}

// Whether data drained now reaches a file that has its name.
bool SegmentSession::is_writable(steady_clock::time_point now) {
  const bool writable = !file_->stalled() && keeps_name(now);
  // No heartbeat: a service that waits for space then waits for its time limit once, not every
  // time.
  segment_->publish_state(writable ? shm::ConsumerState::kPolling : shm::ConsumerState::kStalled);
  return writable;
}

// False if the present file has lost its name and there is no next one.
bool SegmentSession::keeps_name(steady_clock::time_point now) {
  if (!begun_) return true;
  if (rotation_.must_leave(now, *file_)) change_file();
  return !rotation_.astray();
}

// False if staging is full. If the next file cannot be created, that is tried again later: the
// present file is not ended, so the trace continues in it.
bool SegmentSession::rotate(std::uint64_t watermark_tsc) {
  // Each snapshot reports its own losses.
  if (!overwritten_ && !report_losses()) return false;
  if (points_.has_pending() && !points_.write(watermark_tsc, rings_, *file_)) return false;
  change_file();
  return true;
}

// False if the next file cannot be created: that is tried again later.
bool SegmentSession::change_file() {
  std::string why;
  const bool done =
      file_->rotate([this](std::uint32_t sequence) { return section_front(sequence); },
                    rotation_.section_end(trace::EndReason::kRotation, counts_), &why);
  if (!done) {
    rotation_.failed(why, *file_);
    return false;
  }
  publish_file_sequence();
  if (rotation_.astray()) points_.pending_bytes() = 0;
  rotation_.rotated(*file_, counts_);
  dictionary_->enter_restated_section();
  for (RingDrain& ring : rings_) ring.enter_restated_section();
  snapshots_.enter_file();
  points_.begin_section();
  log_.detail("continuing in " + file_->path(), {{"segment", name()}, {"file", file_->path()}});
  return true;
}

// The front of a section that continues where the present one is: with everything that the first
// record depends on.
std::vector<std::byte> SegmentSession::section_front(std::uint32_t sequence) {
  const trace::SectionHeader header = section_header(segment_->header(), sequence);
  std::vector<std::byte> front(kSectionFrontBytes);
  std::size_t bytes = trace::write_header_block(header, front);
  bytes += clock_->write_last_points(std::span(front).subspan(bytes));
  front.resize(bytes);
  dictionary_->restate(&front);
  for (RingDrain& ring : rings_) ring.restate_stream(&front);
  return front;
}

RoundResult SegmentSession::poll() {
  RoundResult result;
  shm::ControlPage& control = segment_->control();
  if (!is_writable(steady_clock::now())) return result;
  control.consumer.heartbeat.fetch_add(1, std::memory_order_relaxed);
  // Every record published from here on is younger than the watermark of this round, except records
  // of threads that were stopped between reading the clock and publishing.
  const std::uint64_t round_tsc = shm::read_tsc();
  if (!begun_ && !begin_section()) {
    result.starved = true;
    return result;
  }
  if (!file_->advance()) {
    result.starved = true;
    return result;
  }
  follow_rings();
  if (!follow_rules()) {
    result.starved = true;
    return result;
  }
  if (flush_.is_asked()) {
    follow_rings();  // rings that were claimed before the request
    flush_.begin(rings_);
  }
  const std::uint64_t file_bytes_before = counts_.file_bytes;
  const std::uint64_t ring_bytes_before = counts_.ring_bytes;
  if (overwritten_ && !check_overwritten(kPeekBytes, &result)) {
    result.starved = true;
    return result;
  }
  const Drained drained = overwritten_ ? serve_snapshot(round_tsc) : drain_rings(&result);
  result.starved = drained == Drained::kNoSpace;
  result.ring_bytes += overwritten_ ? counts_.ring_bytes - ring_bytes_before : 0;
  if (!overwritten_) points_.pending_bytes() += counts_.file_bytes - file_bytes_before;
  if (result.starved) return result;
  // If a ring has more, everything older than its last record is in the file.
  std::uint64_t watermark_tsc = round_tsc;
  if (drained == Drained::kShare && !overwritten_) {
    for (const RingDrain& ring : rings_) {
      if (ring.has_data()) watermark_tsc = std::min(watermark_tsc, ring.cursor().last_tsc);
    }
    watermark_tsc = std::max(watermark_tsc, points_.watermark_tsc());
  }
  if (!overwritten_) clock_->drained_until(watermark_tsc);
  const auto now = steady_clock::now();
  segment_->beat(now);
  if (!overwritten_ && now - last_losses_ >= kLossInterval && !report_losses()) {
    result.starved = true;
    return result;
  }
  const bool flushing = flush_is_due(drained);
  if (points_.has_pending() && (flushing || points_.is_due(now))) {
    result.starved = !points_.write(watermark_tsc, rings_, *file_);
  }
  if (rotation_.is_due(now, *file_, counts_) && !rotate(watermark_tsc)) result.starved = true;
  if (flushing) {
    file_->seal();
    flush_.take(file_->sealed());
  } else if (file_->oldest() < now - kOldestByte) {
    file_->seal();
  }
  flush_.answer(file_->written());
  return result;
}

bool SegmentSession::flush_is_due(Drained drained) const {
  if (!flush_.is_pending() || drained == Drained::kAll) return flush_.is_pending();
  if (overwritten_) return false;  // a snapshot is under way
  return flush_.is_reached(rings_);
}

// If a round could not take everything, the next one begins with the ring that stopped it;
// otherwise the last rings would never be drained while the disk is the slowest part.
SegmentSession::Drained SegmentSession::drain_rings(RoundResult* result) {
  const std::size_t count = rings_.size();
  const std::size_t first = first_ring_;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index = first + step < count ? first + step : first + step - count;
    RingDrain& ring = rings_[index];
    if (!ring.has_data()) continue;
    const std::uint64_t before = counts_.ring_bytes;
    const bool clock_due = result->ring_bytes == 0 && clock_->is_due(kClockInterval);
    const RingDrain::Result drained =
        clock_due && !clock_->write(*file_, rings_)
            ? RingDrain::Result::kNoSpace
            : ring.drain(share_bytes_ - result->ring_bytes, drain_way());
    if (drained == RingDrain::Result::kNoSpace) {
      first_ring_ = index;
      return Drained::kNoSpace;
    }
    result->ring_bytes += counts_.ring_bytes - before;
    result->fullest_permille = std::max(result->fullest_permille,
                                        ring.fill_bytes() * 1000 / segment_->layout().ring_bytes);
    peak_permille_ = std::max(peak_permille_, result->fullest_permille);
    if (result->ring_bytes >= share_bytes_) {
      // Begins with the ring after it, because this one may always have more.
      first_ring_ = index + 1 < count ? index + 1 : 0;
      return Drained::kShare;
    }
  }
  return Drained::kAll;
}

SegmentSession::Drained SegmentSession::serve_snapshot(std::uint64_t round_tsc) {
  if (snapshots_.stage() == SnapshotReader::Stage::kNone) {
    if (!snapshots_.is_due(rings_)) {
      const bool steered = !clock_->is_due(kIdleClockInterval) || clock_->steer(*file_, rings_);
      return steered ? Drained::kAll : Drained::kNoSpace;
    }
    if (!begin_snapshot(round_tsc)) return Drained::kNoSpace;
  }
  if (snapshots_.stage() == SnapshotReader::Stage::kReading) {
    const Drained read = drained_of(snapshots_.read(rings_, share_bytes_, drain_way()));
    if (read != Drained::kAll) return read;
    if (!report_losses() || !points_.write(snapshots_.begin_tsc(), rings_, *file_)) {
      return Drained::kNoSpace;
    }
    clock_->drained_until(snapshots_.begin_tsc());
    if (!clock_->write_if_old(*file_, rings_)) return Drained::kNoSpace;
    snapshots_.seal(*file_);
  }
  snapshots_.finish_if_written(*file_, counts_);
  return Drained::kAll;
}

bool SegmentSession::begin_snapshot(std::uint64_t round_tsc) {
  if (snapshots_.needs_file() && !rotate(points_.watermark_tsc())) return false;
  if (!clock_->steer(*file_, rings_)) return false;
  snapshots_.begin(round_tsc, counts_);
  return true;
}

void SegmentSession::tend() {
  if (stalled()) return;
  // With all statements known by now.
  if (levels_.is_asked() && begun_ && dictionary_->update() == DictionaryFeed::Result::kReady) {
    levels_.serve(dictionary_->sites(), log_);
  }
  if (overwritten_) return;  // the next snapshot reports an ended stream like any other
  for (RingDrain& ring : rings_) {
    if (ring.book_final_drops(drain_way(), false) == RingDrain::Result::kNoSpace) return;
  }
}

ServiceMetrics SegmentSession::metrics() {
  ServiceMetrics metrics;
  meter_.read(dictionary_ != nullptr ? &dictionary_->sites() : nullptr, &metrics);
  ServiceTotals& totals = metrics.totals;
  totals.records = counts_.records;
  totals.ring_bytes = counts_.ring_bytes;
  totals.trace_bytes = counts_.file_bytes;
  totals.sampled = counts_.sampled;
  totals.files_finished = file_->files_ended();
  totals.quarantined_rings = static_cast<std::uint64_t>(std::count_if(
      rings_.begin(), rings_.end(), [](const RingDrain& ring) { return ring.quarantined(); }));
  // Losses that this process counts and the service does not.
  std::uint64_t& quarantined = totals.lost[shm::counter_of(shm::LossCause::kQuarantined)];
  quarantined = saturating_sum(quarantined, counts_.left_behind);
  totals.lost[shm::counter_of(shm::LossCause::kOverwritten)] = counts_.overwritten;
  metrics.state.peak = static_cast<double>(std::exchange(peak_permille_, 0)) / 1000;
  metrics.state.stalled = stalled() ? 1 : 0;
  return metrics;
}

}  // namespace ringside::consumer
