#include "consumerd/poll_loop.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "consumerd/file_packer.hpp"
#include "consumerd/listening_socket.hpp"
#include "consumerd/recovery.hpp"
#include "consumerd/sandbox.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr auto kSegmentLookInterval = milliseconds(5);  // for new segments
constexpr auto kTendInterval = milliseconds(10);
constexpr auto kAliveInterval = milliseconds(50);
constexpr auto kLossLookInterval = std::chrono::seconds(1);
constexpr auto kDirectoryInterval = milliseconds(100);
// Of one look, so that however many segments appear, those that are there are drained.
constexpr auto kLookTime = milliseconds(1);
constexpr auto kOwnedPatience = std::chrono::seconds(1);
// How long an order to stop waits for a disk that takes nothing before it leaves the rest to a
// successor.
constexpr auto kStopPatience = std::chrono::seconds(2);
constexpr nanoseconds kLongestInterval = std::chrono::seconds(1);
constexpr nanoseconds kShortestNap = microseconds(50);
constexpr nanoseconds kLongestNap = milliseconds(1);
// A batch worth waking up for: below it a look at the ring costs the producer more (its line is
// taken away) than the consumer gains.
constexpr std::uint64_t kBatchBytes = 64U << 10;
// From this fill on there is no pause: the ring might be full before the next look.
constexpr std::uint64_t kBusyPermille = 125;

}  // namespace

bool PollLoop::open() {
  // First of all: it forks, and what is opened below is not for hooks.
  if (!start_triggers()) return false;
  std::string why;
  if (!directory_.open(&why)) {
    log_.error(why);
    return false;
  }
  if (io_ == nullptr) io_ = make_block_io(options_.io, kStagingSlots, &why);
  if (io_ == nullptr) {
    log_.error(why + "; or use --io pwrite");
    return false;
  }
  if (!why.empty()) log_.notice(why);
  UniqueFd listening;
  if (!options_.metrics.empty()) {
    listening = listen_on(*parse_listening_address(options_.metrics), &why);
    if (!listening) {
      log_.error("cannot listen on " + options_.metrics + " for metrics: " + why +
                 "; choose another --metrics");
      return false;
    }
  }
  // Before anything of a segment is looked at; neither an io_uring nor a socket can be made in
  // there.
  if (!enter_sandbox_by_choice(options_, {options_.output_dir, options_.shm_dir},
                               staged_directories(options_.shm_dir), log_)) {
    return false;
  }
  // Before any segment is taken: its positions may still be on their way in a dead one's file.
  recover_all_staging(options_.shm_dir, log_);
  remove_broken_off_packing(options_.output_dir, [this](const std::string& service) {
    return serves(options_, service);
  });
  staging_ = StagingFile::create(options_.shm_dir, &why);
  if (staging_ == nullptr) {
    log_.error(why);
    return false;
  }
  writer_ = std::make_unique<SlotWriter>(*staging_, *io_, log_);
  log_.detail(std::string("writing with ") + io_->name());
  if (listening) {
    metrics_ = MetricsDesk::open(std::move(listening));
    if (metrics_ == nullptr) {
      log_.error("cannot start a thread for metrics; raise the limit on processes (ulimit -u)");
      return false;
    }
    log_.detail("metrics on " + options_.metrics);
  }
  if (options_.keep.asks_for_work()) keeper_ = std::make_unique<FileKeeper>(options_, log_);
  return true;
}

int PollLoop::run() {
  if (!open()) return kExitFailure;
  adopt_new_segments(Clock::duration::max());
  // Some segments owned by another may be a matter of moments, or of one odd service; all of
  // them, with none left for us, is a second consumerd.
  if (owned_by_other_ && sessions_.empty()) return kExitOwned;
  log_.detail("watching " + options_.shm_dir);
  if (options_.once) {
    const bool finished = finish_all();
    if (keeper_) keeper_->finish();
    return finished ? kExitOk : kExitFailure;
  }
  while (!stop_.load(std::memory_order_relaxed)) {
    const auto now = Clock::now();
    if (now - last_look_ >= kSegmentLookInterval) {
      last_look_ = now;
      adopt_new_segments(kLookTime);
      if (is_second_consumer()) return kExitOwned;
    }
    keep_directory(now);
    tell_metrics(now);
    if (fresh_staging_ != nullptr) {
      // Nothing new comes into staging until then.
      writer_->poll(true);
      continue;
    }
    if (rotate_.exchange(false, std::memory_order_relaxed)) {
      reload();
      rotate_all();
    }
    const RoundResult round = poll_all();
    writer_->poll(false);
    tend_all(now);
    carry_out_triggers();
    if (metrics_) metrics_->count_round(Clock::now() - now);
    if (!advance_ends().room || round.starved) {
      make_room();
    } else {
      pace(round);
    }
  }
  if (metrics_) metrics_->stop();
  return finish_all() ? kExitOk : kExitFailure;
}

// Whether another consumerd drains what this one is for. At the start that may be hidden by
// recoveries that are under way; and the other may only be passing (--once).
bool PollLoop::is_second_consumer() const {
  return !drained_any_ && owned_since_ && Clock::now() - *owned_since_ >= kOwnedPatience;
}

// The directory of the segments may be removed and made again, and somebody may tidy it up.
void PollLoop::keep_directory(Clock::time_point now) {
  if (now - last_directory_check_ >= kDirectoryInterval) {
    last_directory_check_ = now;
    const bool gone = !directory_.follow();
    if (gone && !directory_gone_) {
      log_.error(options_.shm_dir + " was removed; waiting for it to be made again");
    } else if (!gone && directory_gone_) {
      log_.notice("watching " + options_.shm_dir + " again");
    }
    directory_gone_ = gone;
    if (!gone && fresh_staging_ == nullptr && !staging_->reachable()) renew_staging();
  }
  if (fresh_staging_ == nullptr || !writer_->idle()) return;
  staging_->change_to(*fresh_staging_);
  fresh_staging_.reset();
  for (const auto& session : sessions_) session->name_staging(*staging_);
}

// A successor would not find the staging file. Until there is another one, draining goes on: what
// is written is as safe as ever.
void PollLoop::renew_staging() {
  std::string why;
  fresh_staging_ = StagingFile::create(options_.shm_dir, &why);
  if (fresh_staging_ == nullptr) {
    if (!std::exchange(told_staging_, true)) {
      log_.error("the staging file was removed, and there is no other: " + why +
                 "; until then the end of this process may cost what is on its way to the disk");
    }
    return;
  }
  told_staging_ = false;
  log_.error("the staging file was removed; going on with a new one");
  for (const auto& session : sessions_) session->seal();
}

// One round over all sessions. One that finds staging full begins the next round: there are
// fewer slots than there may be segments, and the first ones would take them all every time.
RoundResult PollLoop::poll_all() {
  RoundResult sum;
  const std::size_t count = sessions_.size();
  const std::size_t first = first_session_ < count ? first_session_ : 0;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index = first + step < count ? first + step : first + step - count;
    SegmentSession& session = *sessions_[index];
    if (session.ending()) continue;
    const RoundResult one = session.poll();
    if (session.truncated()) end_of_truncated(session);
    sum.ring_bytes += one.ring_bytes;
    sum.fullest_permille = std::max(sum.fullest_permille, one.fullest_permille);
    if (one.starved && !sum.starved) first_session_ = index;
    sum.starved = sum.starved || one.starved;
  }
  return sum;
}

void PollLoop::reload() {
  if (options_.config_file.empty()) return;
  std::vector<std::string> faults;
  std::vector<std::string> fixed;
  std::optional<Options> next = reload_options(options_, &faults, &fixed);
  for (const std::string& fault : faults) log_.error(fault, {{"file", options_.config_file}});
  if (!next) {
    return log_.error("the configuration stays as it was; mend the file and send SIGHUP again");
  }
  for (const std::string& name : fixed) {
    log_.error(options_.config_file + ": " + name +
                   " takes a restart; what it was at the start still counts",
               {{"file", options_.config_file}, {"setting", name}});
  }
  options_ = std::move(*next);
  for (const auto& session : sessions_) {
    session->set_rotation(options_.rotation);
    session->set_rules(options_.rules);
  }
  follow_triggers();
  log_.notice("SIGHUP: " + options_.config_file + " is read again",
              {{"file", options_.config_file}});
}

void PollLoop::rotate_all() {
  log_.detail("SIGHUP: going on in new files");
  for (const auto& session : sessions_) session->request_rotation();
}

void PollLoop::tell_keeper() {
  if (keeper_ == nullptr) return;
  std::uint64_t ended = 0;
  for (const auto& session : sessions_) ended += session->file().files_ended();
  if (ended != std::exchange(files_ended_, ended)) keeper_->look();
  keeper_->tell();
}

void PollLoop::tell_metrics(Clock::time_point now) {
  if (metrics_ == nullptr || !metrics_->is_due(now)) return;
  ConsumerFigures figures;
  figures.segments_refused = refused_;
  figures.failed_recoveries = failing_recoveries(now);
  figures.bytes_written = writer_->bytes_written();
  figures.write_failures = writer_->failures();
  figures.failing_writes = writer_->failing();
  figures.slots = kStagingSlots;
  figures.slots_used = kStagingSlots - staging_->free_slots();
  figures.directory_gone = directory_gone_;
  figures.triggers = triggers_.counts();
  metrics_->gather(sessions_, now, figures,
                   directory_gone_ ? options_.shm_dir + " is not there" : std::string());
}

void PollLoop::end_of_truncated(SegmentSession& session) {
  log_.error(
      session.name() + " was cut short by somebody; it is given up with all its rings and removed",
      {{"segment", session.name()}});
  session.begin_end(session.service_alive() ? trace::EndReason::kConsumerEnded
                                            : trace::EndReason::kServiceEnded);
}

void PollLoop::tend_all(Clock::time_point now) {
  if (now - last_tend_ < kTendInterval) return;
  last_tend_ = now;
  tell_keeper();
  const bool look_at_losses_now = now - last_loss_look_ >= kLossLookInterval;
  if (look_at_losses_now) last_loss_look_ = now;
  for (const auto& session : sessions_) {
    if (session->ending()) continue;
    session->tend();
    if (look_at_losses_now) look_at_losses(*session);
  }
  if (now - last_alive_check_ < kAliveInterval) return;
  last_alive_check_ = now;
  for (const auto& session : sessions_) {
    if (session->ending() || session->service_alive()) continue;
    note_end(*session);
    session->begin_end(trace::EndReason::kServiceEnded);
  }
}

PollLoop::Ends PollLoop::advance_ends() {
  Ends ends;
  for (std::size_t i = sessions_.size(); i-- > 0;) {
    SegmentSession& session = *sessions_[i];
    if (!session.ending()) continue;
    const SegmentSession::End end = session.try_end();
    ends.room = ends.room && end != SegmentSession::End::kNoSpace;
    ends.stalled = ends.stalled || end == SegmentSession::End::kStalled;
    if (end != SegmentSession::End::kOver) continue;
    if (metrics_) metrics_->end(session);
    session.leave();
    log_.detail("finished " + session.name() + ": " + std::to_string(session.counts().records) +
                    " records, " + std::to_string(session.counts().dropped) + " dropped",
                {{"segment", session.name()}});
    --sessions_of_[session.owner()];
    stems_.erase(session.file().stem());
    sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(i));
    if (keeper_) keeper_->look();
  }
  return ends;
}

// Frees staging slots: by waiting for the disk, or else by sending off what others collect.
void PollLoop::make_room() {
  if (writer_->only_failing()) {
    for (const auto& session : sessions_) session->seal();
  }
  writer_->poll(true);
}

// False if the disk takes nothing or there is no memory for staging: what is committed stays in the
// staging file, and what is not in the rings, for a successor.
bool PollLoop::finish_all() {
  for (const auto& session : sessions_) {
    note_end(*session);
    session->begin_end(session->service_alive() ? trace::EndReason::kConsumerEnded
                                                : trace::EndReason::kServiceEnded);
    session->take_all_at_once();
  }
  auto last_movement = Clock::now();
  std::uint64_t slots_written = writer_->slots_written();
  for (;;) {
    const Ends ends = advance_ends();
    carry_out_triggers();
    if (sessions_.empty()) return true;
    const auto now = Clock::now();
    // Nothing is on its way but what fails, and one of them still waits: for the disk, or, without
    // a staging slot, for memory.
    const bool moves = !writer_->only_failing() || (ends.room && !ends.stalled) ||
                       slots_written != writer_->slots_written();
    slots_written = writer_->slots_written();
    if (moves) last_movement = now;
    if (now - last_movement >= kStopPatience) {
      log_.error("stopping although not everything is written; it stays in " + options_.shm_dir +
                 ", and the next consumerd writes it");
      return false;
    }
    if (ends.room) {
      writer_->poll(true);
    } else {
      make_room();
    }
  }
}

// Looks again when about one batch should have gathered, sooner if a ring might fill up, and
// ever more seldom while nothing happens.
void PollLoop::pace(const RoundResult& round) {
  const auto now = Clock::now();
  // Bounded: the first round, or one after hours of a full disk, would overflow the product below.
  const nanoseconds since_last = std::min<nanoseconds>(now - last_round_, kLongestInterval);
  last_round_ = now;
  if (round.fullest_permille >= kBusyPermille || round.ring_bytes >= 16 * kBatchBytes) {
    nap_ = nanoseconds(0);
    return;
  }
  if (round.ring_bytes == 0) {
    nap_ = std::clamp(nap_ * 2, kShortestNap, kLongestNap);
  } else {
    const auto for_batch = nanoseconds(since_last.count() * static_cast<std::int64_t>(kBatchBytes) /
                                       static_cast<std::int64_t>(round.ring_bytes));
    nap_ = std::clamp(for_batch, kShortestNap, kLongestNap);
  }
  std::this_thread::sleep_for(nap_);
}

}  // namespace ringside::consumer
