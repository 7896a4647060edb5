#pragma once
// Divides the rings of a segment among encoder threads while one thread is too slow for them, and
// brings them together again at each rotation.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/configuration/rotation_policy.hpp"
#include "consumerd/drain/encoder_threads.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/session/ring_share.hpp"
#include "consumerd/write/slot_writers.hpp"

namespace ringside::consumer {

// The shares beside share 0, which is the session's own. Without use(), and while the load is low,
// there are none.
class RingShares {
 public:
  using Clock = std::chrono::steady_clock;

  // `segment`: its name, for the log.
  RingShares(const std::string& segment, const Log& log) : segment_(segment), log_(log) {}

  // From now on there may be as many shares as `threads`. Both must outlive the shares' files.
  void use(SlotWriters& writers, EncoderThreads& threads) {
    writers_ = &writers;
    threads_ = &threads;
  }
  // Whether there can be other shares than share 0.
  bool is_used() const { return threads_ != nullptr && threads_->count() > 1; }
  // What a round found while one thread drains all rings.
  void note(const RoundResult& result);
  // Whether share 0 has all rings.
  bool is_undivided() const { return shares_.empty(); }

  // What share 0 has.
  struct Parts {
    const TraceFile& file;
    const DictionaryFeed& dictionary;
    const SegmentClock& clock;
    SegmentRings& rings;
    SectionFront front;                                            // of a new file
    std::function<void(std::uint32_t sequence)> publish_sequence;  // of the file after it
  };
  // Between two rounds: moves rings from share 0 to other shares if it has too many busy ones.
  void spread(const Parts& parts);
  // Whether other shares have so much more to do than the rest that a rotation, which brings their
  // rings back, is worth it.
  bool are_uneven(const SegmentRings& rings);

  // A round over all shares, each in its thread. `of_share_0`: its way, on which no rule, trigger
  // or session has anything to do. `*watermark_tsc`: the time up to which all files are complete;
  // `*of_first`: the same for that of share 0.
  Drained drain(SegmentRings& rings, const SegmentClock& clock, const DrainWay& of_share_0,
                std::uint64_t round_tsc, RoundResult* result, std::uint64_t* of_first,
                std::uint64_t* watermark_tsc);

  // For what each round and the end do with share 0's file, too. False if staging is full.
  void begin_round(Clock::time_point now);
  bool end_round(Clock::time_point now, std::uint64_t round_tsc, SegmentRings& rings,
                 bool flushing);
  bool advance();
  void seal();
  bool write_points(std::uint64_t watermark_tsc, std::span<const RingDrain> rings);
  Drained drain_rest(SegmentRings& rings, const DrainWay& of_share_0, bool service_ended);
  void book_final_drops(SegmentRings& rings, const DrainWay& of_share_0);

  // All rings belong to share 0 again, which has a new file: the other shares' files get their
  // ends.
  void unite(SegmentRings& rings, SequencePoints& points_of_first, trace::EndReason reason);
  // The session ends: all files get their ends.
  void finish(trace::EndReason reason);
  bool all_written() const { return shares_.empty() && ended_.empty(); }

  // A flush covers everything sealed so far.
  void mark_flush(bool durable);
  bool flush_is_written() const;
  bool sync_is_wanted() const;
  bool sync_is_busy() const;
  bool sync_is_late() const;
  std::uint64_t sync_failures() const;

  // The number of the next file must be at least this: 0 if share 0 has the last file.
  std::uint32_t next_sequence() const;
  bool stalled() const;
  // Whether a file has lost its name (checked every 100 ms), or is full.
  bool need_new_files(Clock::time_point now, const RotationPolicy& policy, Clock::duration age);
  bool are_followed() const;
  Clock::time_point next_write() const;
  std::uint64_t files_ended() const { return files_ended_; }
  // With what former shares drained.
  DrainCounts with_others(const DrainCounts& of_share_0) const;

 private:
  using Shares = std::vector<std::unique_ptr<RingShare>>;

  RingShare* add(const Parts& parts, std::uint32_t number);
  template <class Check>
  bool any_of_all(const Check& check) const;

  const std::string& segment_;
  const Log& log_;
  SlotWriters* writers_ = nullptr;
  EncoderThreads* threads_ = nullptr;
  Shares shares_;           // share i + 1 at [i]
  Shares ended_;            // whose files are not complete yet
  RingTurn turn_of_first_;  // share 0's
  bool is_pressed_ = true;  // the last round had much to do
  DrainCounts counts_of_ended_;
  std::uint64_t files_ended_ = 0;
  std::uint64_t failures_of_ended_ = 0;
  std::uint32_t next_sequence_ = 0;
  Clock::time_point retry_{};
  Clock::time_point last_name_check_{};
  Clock::time_point last_change_ = Clock::now();
};

}  // namespace ringside::consumer
