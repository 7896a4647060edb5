#include "consumerd/session/segment_session.hpp"

#include <algorithm>
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

std::size_t rings_of_first(std::span<const RingDrain> rings) {
  return static_cast<std::size_t>(std::count_if(
      rings.begin(), rings.end(), [](const RingDrain& ring) { return ring.share() == 0; }));
}

}  // namespace

SegmentSession::SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log)
    : log_(log),
      segment_(std::move(segment)),
      losses_(*segment_),
      collection_(*segment_),
      call_costs_(*segment_),
      meter_(*segment_, segment_->header().sub_buffer_bytes != 0),
      rings_(*segment_),
      shares_(segment_->name(), log),
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
  session->sections_ = std::make_unique<SegmentSections>(SegmentSections::Parts{
      attached, *session->file_, *session->dictionary_, *session->clock_, session->collection_,
      session->rotation_, session->points_, session->snapshots_, session->rings_, session->shares_,
      session->counts_, log});
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

// False if staging is full.
bool SegmentSession::report_call_costs_at_end() {
  return truncated() || call_costs_.report_at_end(*file_, &points_.pending_bytes());
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
  const bool writable = !file_->stalled() && !shares_.stalled() && keeps_name(now);
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
  if (!overwritten_ && !report_call_costs_at_end()) return false;
  collection_.check_at_once();
  if (!report_collection(steady_clock::now())) return false;
  if (points_.has_pending() && !points_.write(watermark_tsc, rings_.all(), *file_)) return false;
  if (!shares_.write_points(watermark_tsc, rings_.all())) return false;
  sections_->change_file(pass_.get());
  return true;
}

RoundResult SegmentSession::poll() {
  RoundResult result;
  shm::ControlPage& control = segment_->control();
  delay_.begin_round(steady_clock::now(), *file_);
  shares_.begin_round(steady_clock::now());
  file_->tend_sync();
  if (!is_writable(steady_clock::now())) {
    taps_.end_round(0, rings_.all());
    return result;
  }
  control.consumer.heartbeat.fetch_add(1, std::memory_order_relaxed);
  // Every record published from here on is younger than the watermark of this round, except records
  // of threads that were stopped between reading the clock and publishing.
  const std::uint64_t round_tsc = shm::read_tsc_in_order();
  if (!sections_->begin() || !file_->advance() || !shares_.advance()) {
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
  std::uint64_t watermark_tsc = round_tsc;  // of the first file
  std::uint64_t complete_tsc = round_tsc;   // of all files
  const Drained drained = overwritten_
                              ? serve_snapshot(round_tsc)
                              : drain_all(round_tsc, &result, &watermark_tsc, &complete_tsc);
  result.starved = drained == Drained::kNoSpace;
  result.ring_bytes += overwritten_ ? counts_.ring_bytes - ring_bytes_before : 0;
  if (!overwritten_) points_.pending_bytes() += counts_.file_bytes - file_bytes_before;
  if (result.starved) return result;
  if (!overwritten_) clock_->drained_until(complete_tsc);
  taps_.end_round(complete_tsc, rings_.all());
  const auto now = steady_clock::now();
  segment_->beat(now);
  if (!overwritten_ && now - last_losses_ >= kLossInterval && !report_losses()) {
    result.starved = true;
    return result;
  }
  if (!overwritten_ && !call_costs_.report(now, *file_, &points_.pending_bytes())) {
    result.starved = true;
    return result;
  }
  const bool flushing = flush_is_due(drained);
  if (!overwritten_ && result.ring_bytes > 0) delay_.note_records(now);
  if ((points_.has_pending() || delay_.needs_points(now)) &&
      (flushing || points_.is_due(now, delay_.point_interval()))) {
    result.starved = !points_.write(watermark_tsc, rings_.all(), *file_);
  }
  if (!shares_.end_round(now, round_tsc, rings_, flushing)) result.starved = true;
  if (shares_.need_new_files(now, rotation_.policy(), now - rotation_.section_start()) ||
      shares_.are_uneven(rings_)) {
    rotation_.request();
  }
  if (rotation_.is_due(now, *file_, counts_) && !rotate(complete_tsc)) result.starved = true;
  if (flushing) {
    flush_.take(*file_, shares_);
  } else if (delay_.is_over(now, *file_)) {
    file_->seal();
  }
  flush_.answer(*file_, shares_);
  return result;
}

bool SegmentSession::flush_is_due(Drained drained) const {
  if (!flush_.is_pending() || drained == Drained::kAll) return flush_.is_pending();
  if (overwritten_) return false;  // a snapshot is under way
  return flush_.is_reached(rings_.all());
}

// Rules, triggers and sessions count and see the records of all rings, one after the other.
bool SegmentSession::is_divisible() const {
  return pass_ == nullptr && triggers_.watch() == nullptr && taps_.taker() == nullptr;
}

// `*of_first`, `*watermark_tsc`: the time up to which the first file, and all files, are complete.
Drained SegmentSession::drain_all(std::uint64_t round_tsc, RoundResult* result,
                                  std::uint64_t* of_first, std::uint64_t* watermark_tsc) {
  if (shares_.is_used() && is_divisible()) {
    const std::size_t before = rings_of_first(rings_.all());
    sections_->spread(pass_.get());
    // What they have in this file goes to the disk before what they will have in others: a reader
    // of the present files must not miss records in between.
    if (rings_of_first(rings_.all()) != before) file_->seal();
  } else if (!shares_.is_undivided()) {
    rotate(points_.watermark_tsc());
    if (!shares_.is_undivided()) return Drained::kNoSpace;
  }
  Drained drained = Drained::kAll;
  if (shares_.is_undivided()) {
    drained = rings_.drain(
        drain_way(), [this] { return step_clock(); }, result);
    shares_.note(*result);
    if (drained == Drained::kShare) {
      *of_first = *watermark_tsc = rings_.complete_until(0, round_tsc, points_.watermark_tsc());
    }
    return drained;
  }
  if (rings_.has_data() && !step_clock()) return Drained::kNoSpace;
  return shares_.drain(rings_, *clock_, drain_way(), round_tsc, result, of_first, watermark_tsc);
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
    if (!report_losses() || !report_call_costs_at_end() ||
        !points_.write(snapshots_.begin_tsc(), rings_.all(), *file_)) {
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
  rings_.book_final_drops(0, drain_way());
  shares_.book_final_drops(rings_, drain_way());
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

ServiceMetrics SegmentSession::metrics() {
  ServiceMetrics metrics;
  meter_.read(dictionary_ != nullptr ? &dictionary_->sites() : nullptr, &metrics);
  add_drained(counts(), rings_.all(), &metrics.totals);
  metrics.totals.files_finished = files_ended();
  metrics.state.peak = static_cast<double>(rings_.take_peak_permille()) / 1000;
  metrics.state.stalled = stalled() ? 1 : 0;
  return metrics;
}

}  // namespace ringside::consumer
