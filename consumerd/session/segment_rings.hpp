#pragma once
// The rings of one segment: all that the service has begun to use, drained in turns.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/placement/near_processors.hpp"
#include "consumerd/session/round_result.hpp"
#include "consumerd/session/sequence_points.hpp"

namespace ringside::consumer {

// How much of the rings was taken.
enum class Drained : std::uint8_t {
  kAll,      // everything published when the round began
  kShare,    // the most that one round may take; more is left
  kNoSpace,  // staging is full
};
Drained drained_of(RingDrain::Result result);
// What two shares of the rings have in common: the worse.
constexpr Drained worse_of(Drained a, Drained b) {
  return a < b ? b : a;
}

// A round over the rings of one share (ring_share.hpp).
struct RingTurn {
  std::uint32_t share = 0;
  std::vector<std::uint32_t> rings;  // that have data, in the order in which they are drained
  std::uint32_t first = 0;           // where the next round begins
  std::uint64_t unread_bytes = 0;    // of `rings`
};

class SegmentRings {
 public:
  explicit SegmentRings(AttachedSegment& segment) : segment_(segment) {}

  // Adds the rings that the service has begun to use. `resumed`: this consumerd has served the
  // segment before.
  void follow(bool resumed, SequencePoints& points);
  std::span<RingDrain> all() { return rings_; }
  std::span<const RingDrain> all() const { return rings_; }
  bool empty() const { return rings_.empty(); }
  bool has_data() const;
  // The journal entry's bytes are in the trace file.
  void written(const shm::JournalEntry& entry);

  // What one round may take at most: rings of gigabytes are allowed, and other segments must not
  // wait for them.
  std::uint64_t share_bytes() const { return share_bytes_; }
  void take_all_at_once() { share_bytes_ = UINT64_MAX; }
  bool takes_all_at_once() const { return share_bytes_ == UINT64_MAX; }

  // A round over rings that are not overwritten and are not divided among threads. `begin` is
  // called before each ring until one has given bytes; false: staging is full.
  Drained drain(const DrainWay& way, const std::function<bool()>& begin, RoundResult* result);
  // For a round in which several threads drain, each its own share: selects the rings that have
  // data. False if their memory cannot be mapped at the same time: one thread must drain them.
  bool plan(RingTurn* turn);
  // What the turn has selected. Several threads may do this at the same time, for different shares.
  Drained drain(RingTurn& turn, const DrainWay& way, RoundResult* result);
  void note_peak(std::uint64_t permille) { peak_permille_ = std::max(peak_permille_, permille); }

  // What is left in the rings of a share, and the losses after it. `reads`: false if the rings keep
  // their records.
  Drained drain_rest(std::uint32_t share, const DrainWay& way, bool reads, bool service_ended);
  // The time up to which the file of a share has everything after a round that took a part of it.
  std::uint64_t complete_until(std::uint32_t share, std::uint64_t round_tsc,
                               std::uint64_t watermark_tsc) const;
  // Losses of streams that have ended; those for which staging has no room when it is called again.
  void book_final_drops(std::uint32_t share, const DrainWay& way);
  // See RingDrain::publish_nested().
  void publish_nested();

  // Adds what was taken since the last call to the processors of the threads.
  void take_passed_bytes(BytesByProcessor* bytes);
  // Of the fullest ring, since the last call.
  std::uint64_t take_peak_permille() { return std::exchange(peak_permille_, 0); }

 private:
  AttachedSegment& segment_;
  std::vector<RingDrain> rings_;  // by index
  std::size_t first_ = 0;         // where the next round begins
  std::uint64_t peak_permille_ = 0;
  std::uint64_t share_bytes_ = std::uint64_t{16} << 20;
};

}  // namespace ringside::consumer
