#include "consumerd/session/segment_session.hpp"

#include <utility>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

constexpr auto kClockInterval = std::chrono::seconds(1);
constexpr auto kLossInterval = std::chrono::seconds(1);
// Between snapshots the conversion of ticks to time is adjusted and written at least this often.
constexpr auto kIdleClockInterval = std::chrono::seconds(60);
constexpr std::uint64_t kPeekBytes = 4U << 20;  // of overwritten rings, per round
constexpr int kMostLossBlocks = 64;             // of the end

}  // namespace

SegmentSession::SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log)
    : log_(log),
      segment_(std::move(segment)),
      losses_(*segment_),
      collection_(*segment_),
      meter_(*segment_, segment_->header().sub_buffer_bytes != 0),
      rings_(*segment_),
      rotation_(segment_->control(), segment_->name(), log),
      sleep_(segment_->control()),
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
      [self](const shm::JournalEntry& entry) { self->rings_.written(entry); }, why,
      {attached.control().consumer.session.load(std::memory_order_relaxed) == 0,
       attached.control().consumer.next_file_sequence.load(std::memory_order_relaxed)});
  if (session->file_ == nullptr) {
    attached.publish_state(shm::ConsumerState::kStalled);
    return nullptr;
  }
  session->file_->mark_syncs(attached.control().tool_answers.syncing);
  session->snapshots_.resume(*session->file_);
  session->dictionary_ = std::make_unique<DictionaryFeed>(attached, *session->file_, log);
  session->encoder_ = std::make_unique<trace::ExtentEncoder>(session->dictionary_->sites());
  session->clock_ = std::make_unique<SegmentClock>(attached);
  session->sections_ = std::make_unique<SegmentSections>(
      SegmentSections::Parts{attached, *session->file_, *session->dictionary_, *session->clock_,
                             session->collection_, session->rotation_, session->points_,
                             session->snapshots_, session->rings_, session->counts_, log});
  enter_segment(attached, staging);
  session->sections_->publish_file_sequence();
  session->was_alive_ = attached.service_alive();
  // If no slot is free now, the first round tries again.
  session->sections_->begin();
  attached.control().consumer.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling),
                                          std::memory_order_release);
  return session;
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

// False if staging is full.
bool SegmentSession::report_collection(steady_clock::time_point now) {
  if (truncated() || !collection_.is_due(now)) return true;
  std::uint64_t bytes = 0;
  const bool has_room = collection_.report(now, *file_, *dictionary_, pass_.get(), &bytes);
  // A sequence point between two snapshots would say that their records are in the file.
  if (!overwritten_) points_.pending_bytes() += bytes;
  return has_room;
}

void SegmentSession::set_rules(std::shared_ptr<const RecordRules> rules, std::string source) {
  next_rules_ = std::move(rules);
  next_rules_source_ = std::move(source);
}

// First reports what the previous rules left out. False if there is no room for that: nothing may
// be drained under rules that have been replaced.
bool SegmentSession::follow_rules() {
  if (next_rules_ == nullptr) return true;
  const bool has_section = sections_->has_begun();
  if (pass_ != nullptr && has_section && !overwritten_ && !report_losses()) return false;
  rules_ = std::exchange(next_rules_, nullptr);
  taps_.set_rules(rules_);
  pass_ = RecordPass::of_service(rules_, std::string(shm::service_of_segment_name(name())),
                                 segment_->header().tsc_frequency_hz, log_);
  collection_.follow_rules(pass_.get(), next_rules_source_);
  return true;
}

bool SegmentSession::check_overwritten(std::uint64_t most_bytes, RoundResult* result) {
  return triggers_.check_overwritten(most_bytes, rings_.all().size(), *dictionary_, pass_.get(),
                                     &scratch_, result);
}

DrainWay SegmentSession::drain_way() {
  return {*file_,
          *dictionary_,
          *encoder_,
          pass_.get(),
          triggers_.watch(),
          taps_.taker(),
          scratch_,
          points_.watermark_tsc(),
          &counts_,
          log_};
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
  if (!sections_->has_begun()) return true;
  if (rotation_.must_leave(now, *file_)) sections_->change_file(pass_.get());
  return !rotation_.astray();
}

// False if staging is full. If the next file cannot be created, that is tried again later: the
// present file is not ended, so the trace continues in it.
bool SegmentSession::rotate(std::uint64_t watermark_tsc) {
  // Each snapshot reports its own losses.
  if (!overwritten_ && !report_losses()) return false;
  collection_.check_at_once();
  if (!report_collection(steady_clock::now())) return false;
  if (points_.has_pending() && !points_.write(watermark_tsc, rings_.all(), *file_)) return false;
  sections_->change_file(pass_.get());
  return true;
}

RoundResult SegmentSession::poll() {
  RoundResult result;
  shm::ControlPage& control = segment_->control();
  delay_.begin_round(steady_clock::now(), *file_);
  file_->tend_sync();
  if (!is_writable(steady_clock::now())) {
    taps_.end_round(0, rings_.all());
    return result;
  }
  control.consumer.heartbeat.fetch_add(1, std::memory_order_relaxed);
  // Every record published from here on is younger than the watermark of this round, except records
  // of threads that were stopped between reading the clock and publishing.
  const std::uint64_t round_tsc = shm::read_tsc();
  if (!sections_->begin() || !file_->advance()) {
    result.starved = true;
    return result;
  }
  rings_.follow(resumed_, points_);
  if (!follow_rules() || !report_collection(steady_clock::now())) {
    result.starved = true;
    return result;
  }
  if (flush_.is_asked()) {
    rings_.follow(resumed_, points_);  // rings that were claimed before the request
    flush_.begin(rings_.all());
  }
  const std::uint64_t file_bytes_before = counts_.file_bytes;
  const std::uint64_t ring_bytes_before = counts_.ring_bytes;
  if (overwritten_ && !check_overwritten(kPeekBytes, &result)) {
    result.starved = true;
    return result;
  }
  taps_.tell_time(*clock_);
  const Drained drained = overwritten_ ? serve_snapshot(round_tsc)
                                       : rings_.drain(
                                             drain_way(), [this] { return step_clock(); }, &result);
  result.starved = drained == Drained::kNoSpace;
  result.ring_bytes += overwritten_ ? counts_.ring_bytes - ring_bytes_before : 0;
  if (!overwritten_) points_.pending_bytes() += counts_.file_bytes - file_bytes_before;
  if (result.starved) return result;
  std::uint64_t watermark_tsc = round_tsc;
  if (drained == Drained::kShare && !overwritten_) {
    watermark_tsc = rings_.complete_until(round_tsc, points_.watermark_tsc());
  }
  if (!overwritten_) clock_->drained_until(watermark_tsc);
  taps_.end_round(watermark_tsc, rings_.all());
  const auto now = steady_clock::now();
  segment_->beat(now);
  if (!overwritten_ && now - last_losses_ >= kLossInterval && !report_losses()) {
    result.starved = true;
    return result;
  }
  const bool flushing = flush_is_due(drained);
  if (!overwritten_ && result.ring_bytes > 0) delay_.note_records(now);
  if ((points_.has_pending() || delay_.needs_points(now)) &&
      (flushing || points_.is_due(now, delay_.point_interval()))) {
    result.starved = !points_.write(watermark_tsc, rings_.all(), *file_);
  }
  if (rotation_.is_due(now, *file_, counts_) && !rotate(watermark_tsc)) result.starved = true;
  if (flushing) {
    flush_.take(*file_);
  } else if (delay_.is_over(now, *file_)) {
    file_->seal();
  }
  flush_.answer(*file_);
  return result;
}

bool SegmentSession::flush_is_due(Drained drained) const {
  if (!flush_.is_pending() || drained == Drained::kAll) return flush_.is_pending();
  if (overwritten_) return false;  // a snapshot is under way
  return flush_.is_reached(rings_.all());
}

// Before the first records of a round. False if staging is full.
bool SegmentSession::step_clock() {
  if (!clock_->is_due(kClockInterval)) return true;
  if (!clock_->write(*file_, rings_.all())) return false;
  taps_.tell_time(*clock_);
  return true;
}

Drained SegmentSession::serve_snapshot(std::uint64_t round_tsc) {
  if (snapshots_.stage() == SnapshotReader::Stage::kNone) {
    if (!snapshots_.is_due(rings_.all())) {
      const bool steered =
          !clock_->is_due(kIdleClockInterval) || clock_->steer(*file_, rings_.all());
      return steered ? Drained::kAll : Drained::kNoSpace;
    }
    if (!begin_snapshot(round_tsc)) return Drained::kNoSpace;
  }
  if (snapshots_.stage() == SnapshotReader::Stage::kReading) {
    const Drained read =
        drained_of(snapshots_.read(rings_.all(), rings_.share_bytes(), drain_way()));
    if (read != Drained::kAll) return read;
    if (!report_losses() || !points_.write(snapshots_.begin_tsc(), rings_.all(), *file_)) {
      return Drained::kNoSpace;
    }
    clock_->drained_until(snapshots_.begin_tsc());
    if (!clock_->write_if_old(*file_, rings_.all())) return Drained::kNoSpace;
    snapshots_.seal(*file_);
  }
  snapshots_.finish_if_written(*file_, counts_);
  return Drained::kAll;
}

bool SegmentSession::begin_snapshot(std::uint64_t round_tsc) {
  if (snapshots_.needs_file() && !rotate(points_.watermark_tsc())) return false;
  if (!clock_->steer(*file_, rings_.all())) return false;
  snapshots_.begin(round_tsc, counts_);
  return true;
}

void SegmentSession::tend() {
  if (stalled()) return;
  taps_.tend(sections_->has_begun() ? dictionary_.get() : nullptr);
  // With all statements known by now.
  if (levels_.is_asked() && sections_->has_begun() &&
      dictionary_->update() == DictionaryFeed::Result::kReady) {
    levels_.serve(dictionary_->sites(), log_);
  }
  if (overwritten_) return;  // the next snapshot reports an ended stream like any other
  rings_.book_final_drops(drain_way());
}

bool SegmentSession::add_session(TraceSession& session, std::string* why) {
  // Rings that are overwritten are read by snapshots only.
  if (overwritten_ || ending()) return true;
  const TapSource source{*segment_, *dictionary_, *encoder_, log_};
  if (!taps_.add(session, source, rules_ != nullptr ? rules_ : next_rules_, why)) return false;
  taps_.tell_time(*clock_);
  taps_.tend(sections_->has_begun() ? dictionary_.get() : nullptr);
  return true;
}

// A snapshot that takes longer than a turn would otherwise never be complete. A file that cannot be
// written would only delay the end.
bool SegmentSession::can_end_turn(steady_clock::time_point now, steady_clock::duration turn) const {
  return !ending() && !stalled() && snapshots_.stage() == SnapshotReader::Stage::kNone &&
         now - served_since_ >= turn;
}

void SegmentSession::resume(const BetweenTurns& before) {
  resumed_ = true;
  if (sections_->has_begun()) rotation_.continue_section(before.section_start);
  if (before.rotation_requested) rotation_.request();
  if (before.snapshot_wanted) request_snapshot();
  was_alive_ = was_alive_ || before.was_alive;
}

SegmentSession::End SegmentSession::try_end() {
  if (!end_.is_sealed()) {
    if (!is_writable(std::chrono::steady_clock::now())) return End::kStalled;
    const Drained drained = finish();
    if (drained == Drained::kShare) return End::kWriting;
    if (drained == Drained::kNoSpace) return End::kNoSpace;
    end_.seal();
  }
  file_->tend_sync();
  if (!file_->advance()) return End::kNoSpace;
  if (file_->all_written()) return End::kOver;
  return file_->stalled() || file_->sync_is_late() ? End::kStalled : End::kWriting;
}

Drained SegmentSession::finish() {
  if (!sections_->begin()) return Drained::kNoSpace;
  // Before the last check of the rings: a service that continues to run records from here on.
  const std::uint64_t watermark_tsc = shm::read_tsc();
  rings_.follow(resumed_, points_);
  collection_.check_at_once();
  if (!follow_rules() || !report_collection(steady_clock::now())) return Drained::kNoSpace;
  taps_.tell_time(*clock_);
  const bool service_ended = end_.is_of_service();
  if (service_ended) rings_.publish_nested();
  if (overwritten_ && service_ended) {
    if (!check_overwritten(UINT64_MAX, nullptr)) return Drained::kNoSpace;
    const Drained last = take_last_snapshot(watermark_tsc);
    if (last != Drained::kAll) return last;
  }
  if (!overwritten_ || service_ended) {
    const Drained rest = rings_.drain_rest(drain_way(), !overwritten_, service_ended);
    if (rest != Drained::kAll) return rest;
  }
  if (end_.turn_is_over() && !steer_at_end(watermark_tsc)) return Drained::kNoSpace;
  losses_.check_again();
  // All counters take fewer blocks than this, unless the service keeps changing them.
  for (int block = 0; block == 0 || (losses_.has_more() && block < kMostLossBlocks); ++block) {
    if (!report_losses()) return Drained::kNoSpace;
  }
  if (!points_.write(watermark_tsc, rings_.all(), *file_)) return Drained::kNoSpace;
  taps_.tell_time(*clock_);
  taps_.finish(end_.reason());
  file_->finish(rotation_.section_end(end_.reason(), counts_));
  return Drained::kAll;
}

// The next session of the segment continues from here, and may be as short as this one.
bool SegmentSession::steer_at_end(std::uint64_t watermark_tsc) {
  if (overwritten_) return clock_->steer(*file_, rings_.all());  // the rings keep their records
  clock_->drained_until(watermark_tsc);
  return clock_->write_if_old(*file_, rings_.all());
}

Drained SegmentSession::take_last_snapshot(std::uint64_t watermark_tsc) {
  if (snapshots_.last_is_taken()) return Drained::kAll;
  if (snapshots_.stage() == SnapshotReader::Stage::kNone) {
    if (!rings_.has_data()) {
      snapshots_.begin_empty(counts_);
    } else if (!begin_snapshot(watermark_tsc)) {
      return Drained::kNoSpace;
    }
  }
  return drained_of(snapshots_.read_last(rings_.all(), rings_.share_bytes(), drain_way(), *file_));
}

void SegmentSession::leave() {
  flush_.answer(*file_);
  snapshots_.answer_last(counts_);
  leave_segment(*segment_, end_.turn_is_over());
  // A truncated segment is of no use, and no consumer would be there to remove it when its service
  // ends.
  const bool service_ended = end_.is_of_service();
  if (service_ended || truncated()) remove_segment(*segment_, service_ended, log_);
}

ServiceMetrics SegmentSession::metrics() {
  ServiceMetrics metrics;
  meter_.read(dictionary_ != nullptr ? &dictionary_->sites() : nullptr, &metrics);
  add_drained(counts_, rings_.all(), &metrics.totals);
  metrics.totals.files_finished = file_->files_ended();
  metrics.state.peak = static_cast<double>(rings_.take_peak_permille()) / 1000;
  metrics.state.stalled = stalled() ? 1 : 0;
  return metrics;
}

}  // namespace ringside::consumer
