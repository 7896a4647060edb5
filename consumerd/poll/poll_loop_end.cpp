// How PollLoop ends: it drains and writes what is there, and reports what is left.
#include <thread>

#include "consumerd/poll/poll_loop.hpp"
#include "consumerd/write/recovery.hpp"

namespace ringside::consumer {
namespace {

// After a request to stop: how long to wait for a disk that accepts nothing, before the rest is
// left to a successor.
constexpr auto kStopPatience = std::chrono::seconds(2);
// With --once: how long to retry a segment that cannot be drained.
constexpr auto kOncePatience = std::chrono::seconds(1);

}  // namespace

PollLoop::Ends PollLoop::advance_ends() {
  Ends ends;
  for (std::size_t i = sessions_.size(); i-- > 0;) {
    SegmentSession& session = *sessions_[i];
    if (!session.ending()) continue;
    const SegmentSession::End end = session.try_end();
    ends.room = ends.room && end != SegmentSession::End::kNoSpace;
    ends.stalled = ends.stalled || end == SegmentSession::End::kStalled;
    if (end != SegmentSession::End::kOver) continue;
    const bool comes_back = session.turn_is_over() && !session.truncated();
    if (metrics_ && comes_back) metrics_->interrupt(session);
    if (metrics_ && !comes_back) metrics_->end(session);
    session.leave();
    if (comes_back) {
      adoption_.interrupted(session);
    } else {
      log_.detail("finished " + session.name() + ": " + std::to_string(session.counts().records) +
                      " records, " + std::to_string(session.counts().dropped) + " dropped",
                  {{"segment", session.name()}});
      adoption_.ended(session);
    }
    sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(i));
    if (keeper_) keeper_->look();
  }
  return ends;
}

// Frees staging slots: waits for the disk, or else seals slots that other sessions are filling.
void PollLoop::make_room() {
  if (writer_->only_failing()) {
    seal_all();
  }
  writer_->poll(true);
}

// False if the disk accepts nothing or there is no memory for staging: committed data stays in the
// staging file, and the rest in the rings, for a successor.
bool PollLoop::finish_all() {
  for (const auto& session : sessions_) {
    triggers_.check_end(*session);
    session->begin_end(session->service_alive() ? trace::EndReason::kConsumerEnded
                                                : trace::EndReason::kServiceEnded);
    session->take_all_at_once();
  }
  auto last_movement = Clock::now();
  std::uint64_t slots_written = writer_->slots_written();
  for (;;) {
    staging_.leave_full_memory();
    change_staging();
    const Ends ends = advance_ends();
    triggers_.carry_out_all(sessions_);
    if (sessions_.empty()) return true;
    const auto now = Clock::now();
    // All writes under way fail, and a session still waits: for the disk, or, without a staging
    // slot, for memory.
    const bool moves = !writer_->only_failing() || (ends.room && !ends.stalled) ||
                       slots_written != writer_->slots_written();
    slots_written = writer_->slots_written();
    if (moves) last_movement = now;
    if (now - last_movement >= kStopPatience) {
      log_.error("stopping before all data is written; the rest stays in " + options_.shm_dir +
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

// Drains the present services, in turns if descriptors do not allow all at once. Services that
// start later are left for the next run.
int PollLoop::run_once() {
  bool written = finish_all();
  auto deadline = Clock::now() + kOncePatience;
  while (written && adoption_.undrained().any_waits() && !stop_.load(std::memory_order_relaxed)) {
    adoption_.adopt_all();
    if (!sessions_.empty()) {
      written = finish_all();
      deadline = Clock::now() + kOncePatience;
    } else if (Clock::now() >= deadline) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  if (keeper_) keeper_->finish();
  if (!unrecovered_.empty()) {
    unrecovered_.clear();
    recover_all_staging(options_.shm_dir, log_, &unrecovered_);
  }
  return !report_undrained() && written ? kExitOk : kExitFailure;
}

// Whether anything is left.
bool PollLoop::report_undrained() const {
  adoption_.undrained().log_all(log_);
  for (const std::string& name : unrecovered_) {
    log_.error("not recovered: " + options_.shm_dir + "/" + name +
                   ", which a dead consumerd left; run consumerd again when its files are writable",
               {{"file", name}});
  }
  return !adoption_.undrained().empty() || !unrecovered_.empty();
}

}  // namespace ringside::consumer
