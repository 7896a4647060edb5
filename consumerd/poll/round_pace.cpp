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
// From this fill on the loop does not pause: the ring might be full before the next round.
constexpr std::uint64_t kBusyPermille = 125;

}  // namespace

void RoundPace::nap_after(const RoundResult& round) {
  const auto now = std::chrono::steady_clock::now();
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
