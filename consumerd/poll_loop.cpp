#include "consumerd/poll_loop.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "consumerd/recovery.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr auto kLookInterval = milliseconds(5);  // for new segments
constexpr auto kTendInterval = milliseconds(10);
constexpr auto kAliveInterval = milliseconds(50);
constexpr nanoseconds kShortestNap = microseconds(50);
constexpr nanoseconds kLongestNap = milliseconds(1);
// A batch worth waking up for: below it a look at the ring costs the producer more (its line is
// taken away) than the consumer gains.
constexpr std::uint64_t kBatchBytes = 64U << 10;
// From this fill on there is no pause: the ring might be full before the next look.
constexpr std::uint64_t kBusyPermille = 125;

}  // namespace

bool PollLoop::open() {
  std::string why;
  if (!directory_.open(&why)) {
    log_.error(why);
    return false;
  }
  // Before any segment is taken: its positions may still be on their way in a dead one's file.
  recover_all_staging(options_.shm_dir, log_);
  staging_ = StagingFile::create(options_.shm_dir, &why);
  if (staging_ == nullptr) {
    log_.error(why);
    return false;
  }
  io_ = make_block_io(options_.io, kStagingSlots, &why);
  if (io_ == nullptr) {
    log_.error(why + "; or use --io pwrite");
    return false;
  }
  if (!why.empty()) log_.notice(why);
  writer_ = std::make_unique<SlotWriter>(*staging_, *io_, log_);
  log_.detail(std::string("writing with ") + io_->name());
  return true;
}

int PollLoop::run() {
  if (!open()) return kExitFailure;
  adopt_new_segments();
  if (owned_by_other_ && !stop_.load(std::memory_order_relaxed)) {
    finish_all(trace::EndReason::kConsumerEnded);
    return kExitOwned;
  }
  log_.detail("watching " + options_.shm_dir);
  if (options_.once) {
    finish_all(trace::EndReason::kConsumerEnded);
    return kExitOk;
  }
  while (!stop_.load(std::memory_order_relaxed)) {
    const auto now = Clock::now();
    if (now - last_look_ >= kLookInterval) {
      last_look_ = now;
      adopt_new_segments();
    }
    const RoundResult round = poll_all();
    writer_->poll(false);
    tend_all(now);
    if (round.starved) {
      make_room();
    } else {
      pace(round);
    }
  }
  finish_all(trace::EndReason::kConsumerEnded);
  return kExitOk;
}

void PollLoop::adopt_new_segments() {
  for (std::string& name : directory_.appeared()) waiting_.insert(std::move(name));
  const std::set<std::string> names = std::exchange(waiting_, {});
  for (const std::string& name : names) {
    if (serves(options_, std::string(shm::service_of_segment_name(name)))) try_adopt(name);
  }
}

void PollLoop::try_adopt(const std::string& name) {
  AttachFailure failure;
  std::unique_ptr<AttachedSegment> segment =
      AttachedSegment::attach(options_.shm_dir, name, &failure);
  if (segment == nullptr) {
    if (failure.error == AttachError::kNotReady) {
      waiting_.insert(name);
    } else if (failure.error == AttachError::kOwned) {
      waiting_.insert(name);
      owned_by_other_ = true;
      if (mentioned_.insert(name).second) {
        log_.error(failure.why +
                   "; stop that one, or give this one other services to drain "
                   "(--service) or another --shm-dir");
      }
    } else if (mentioned_.insert(name).second) {
      log_.error(failure.why);
    }
    return;
  }
  std::array<std::uint8_t, 16> left_behind{};
  std::memcpy(left_behind.data(), segment->control().consumer.staging_uuid, left_behind.size());
  if (left_behind != std::array<std::uint8_t, 16>{} && left_behind != staging_->uuid()) {
    // The lock must be free for the recovery, which sets this segment's positions.
    segment.reset();
    const RecoveryResult result =
        recover_staging(options_.shm_dir, staging_name(left_behind), log_);
    if (result == RecoveryResult::kInUse || result == RecoveryResult::kFailed) {
      waiting_.insert(name);
      return;
    }
    segment = AttachedSegment::attach(options_.shm_dir, name, &failure);
    if (segment == nullptr) {
      waiting_.insert(name);
      return;
    }
  }
  std::string why;
  std::unique_ptr<SegmentSession> session = SegmentSession::start(
      std::move(segment), options_.output_dir, *writer_, *staging_, log_, &why);
  if (session == nullptr) {
    if (mentioned_.insert(name).second) log_.error(why);
    waiting_.insert(name);
    return;
  }
  log_.detail("draining " + name + " into " + session->file().path());
  mentioned_.erase(name);
  sessions_.push_back(std::move(session));
}

RoundResult PollLoop::poll_all() {
  RoundResult sum;
  for (const auto& session : sessions_) {
    const RoundResult one = session->poll(!writer_->stalled());
    sum.ring_bytes += one.ring_bytes;
    sum.fullest_permille = std::max(sum.fullest_permille, one.fullest_permille);
    sum.starved = sum.starved || one.starved;
  }
  return sum;
}

void PollLoop::tend_all(Clock::time_point now) {
  if (now - last_tend_ < kTendInterval || writer_->stalled()) return;
  last_tend_ = now;
  for (const auto& session : sessions_) session->tend();
  if (now - last_alive_check_ < kAliveInterval) return;
  last_alive_check_ = now;
  for (std::size_t i = sessions_.size(); i-- > 0;) {
    if (!sessions_[i]->service_alive()) finish_session(i, trace::EndReason::kServiceEnded);
  }
}

// Frees staging slots: by waiting for the disk, or else by sending off what others collect.
void PollLoop::make_room() {
  if (writer_->idle()) {
    for (const auto& session : sessions_) session->seal();
  }
  writer_->poll(true);
}

void PollLoop::finish_session(std::size_t index, trace::EndReason reason) {
  SegmentSession& session = *sessions_[index];
  while (!session.finish(reason)) make_room();
  while (!session.settled()) writer_->poll(true);
  session.leave(reason == trace::EndReason::kServiceEnded);
  log_.detail("finished " + session.name() + ": " + std::to_string(session.counts().records) +
              " records, " + std::to_string(session.counts().dropped) + " dropped");
  sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(index));
}

void PollLoop::finish_all(trace::EndReason live_reason) {
  while (!sessions_.empty()) {
    const std::size_t last = sessions_.size() - 1;
    finish_session(
        last, sessions_[last]->service_alive() ? live_reason : trace::EndReason::kServiceEnded);
  }
}

// Looks again when about one batch should have gathered, sooner if a ring might fill up, and
// ever more seldom while nothing happens.
void PollLoop::pace(const RoundResult& round) {
  const auto now = Clock::now();
  const nanoseconds since_last = now - last_round_;
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
