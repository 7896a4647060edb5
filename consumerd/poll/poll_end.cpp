// How consumerd ends: after a signal, or with --once.

#include <chrono>
#include <thread>

#include "consumerd/poll/poll_loop.hpp"

namespace ringside::consumer {
namespace {

// After a request to stop: how long to wait for a disk that accepts nothing, before the rest is
// left to a successor.
constexpr auto kStopPatience = std::chrono::seconds(2);
constexpr auto kOncePatience = std::chrono::seconds(1);  // for a segment that cannot be drained

}  // namespace

int PollLoop::finish() {
  manager_.stopping("draining all rings and finishing the files");
  if (metrics_) metrics_->stop();
  if (adoption_.turns().empty()) directory_.withdraw_presence();  // no further segment is adopted
  const bool written = finish_all() && finish_turns();
  session_control_.finish(kStopPatience);
  directory_.withdraw_presence();
  return text_.finish() && written ? kExitOk : kExitFailure;
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
  std::uint64_t slots_written = writers_.slots_written();
  for (;;) {
    staging_.leave_full_memory();
    change_staging();
    const Ends ends = advance_ends();
    triggers_.carry_out_all(sessions_);
    if (sessions_.empty()) return true;
    const auto now = Clock::now();
    manager_.beat(now);
    // All writes under way fail, and a session still waits: for the disk, or, without a staging
    // slot, for memory.
    const bool moves = !writers_.only_failing() || (ends.room && !ends.stalled) ||
                       slots_written != writers_.slots_written();
    slots_written = writers_.slots_written();
    if (moves) last_movement = now;
    if (now - last_movement >= kStopPatience) {
      log_.error("stopping before all data is written; the rest stays in " + options_.shm_dir +
                 ", and the next consumerd writes it");
      return false;
    }
    if (ends.room) {
      writers_.poll(true);
    } else {
      make_room();
    }
  }
}

// At the end: a last turn for each segment that waits. Returns as finish_all().
bool PollLoop::finish_turns() {
  for (const std::string& name : adoption_.take_waiting()) {
    if (adoption_.give_last_turn(name)) continue;
    if (!finish_all()) return false;
    adoption_.give_last_turn(name);
  }
  return finish_all();
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
  session_control_.finish(kStopPatience);
  files_.finish();
  left_staging_.retry();
  const bool has_text = text_.finish();
  return !report_undrained() && written && has_text ? kExitOk : kExitFailure;
}

}  // namespace ringside::consumer
