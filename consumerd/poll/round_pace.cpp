#include "consumerd/poll/round_pace.hpp"

#include <algorithm>
#include <thread>

namespace ringside::consumer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr nanoseconds kLongestInterval = std::chrono::seconds(1);
constexpr nanoseconds kShortestNap = microseconds(50);
constexpr nanoseconds kLongestNap = milliseconds(1);
// The smallest batch worth a wake-up: for less, reading the ring costs the producer more (it loses
// the cache line) than the consumer gains.
constexpr std::uint64_t kBatchBytes = 64U << 10;
// A load below one batch in this time permits a sleep.
constexpr nanoseconds kWindow = milliseconds(100);
// How long the load must be low. Also the time between two wake-ups of one service.
constexpr nanoseconds kQuietTime = milliseconds(500);
// From this fill on the loop does not pause: the ring might be full before the next round.
constexpr std::uint64_t kBusyPermille = 125;

}  // namespace

void RoundPace::note_load(const RoundResult& round, Clock::time_point now) {
  window_bytes_ += round.ring_bytes;
  if (window_bytes_ >= kBatchBytes) busy_ = now;
  if (now - window_start_ < kWindow && window_bytes_ < kBatchBytes) return;
  window_start_ = now;
  window_bytes_ = 0;
}

void RoundPace::rest_after(const RoundResult& round, const IdleSleep::Sessions& sessions,
                           Clock::time_point until) {
  const auto now = Clock::now();
  note_load(round, now);
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
  for (const auto& session : sessions) until = std::min(until, session->next_write());
  if (nap_ == kLongestNap && now - busy_ >= kQuietTime && until - now > kLongestNap) {
    const IdleSleep::Result result = sleep_.sleep(sessions, until - now);
    if (result == IdleSleep::Result::kWoken) busy_ = Clock::now();
    if (result != IdleSleep::Result::kNone) return;
  }
  std::this_thread::sleep_for(nap_);
}

}  // namespace ringside::consumer
