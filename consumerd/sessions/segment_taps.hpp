#pragma once
// All sessions of one segment, as the drain sees them.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/drain/batch_taker.hpp"
#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/sessions/session_switches.hpp"
#include "consumerd/sessions/session_tap.hpp"

namespace ringside::consumer {

class SegmentTaps final : public BatchTaker {
 public:
  explicit SegmentTaps(const TapSource& source)
      : source_(source), switches_(source.segment, [this](const SessionSwitches::Lease& lease) {
          keep_lease(lease);
        }) {}
  SegmentTaps(const SegmentTaps&) = delete;
  SegmentTaps& operator=(const SegmentTaps&) = delete;

  // From now on the session takes the segment's records. False with `*why` if its file cannot be
  // opened.
  bool add(TraceSession& session, std::shared_ptr<const RecordRules> rules, std::string* why);
  bool has(const TraceSession& session) const;
  void set_rules(const std::shared_ptr<const RecordRules>& rules);

  void take(const trace::SiteTable& sites, const RingBatch& batch) override;
  bool thins() const override { return switches_.any(); }
  std::span<const std::byte> thin(const trace::SiteTable& sites,
                                  std::span<const std::byte> records) override;
  std::size_t untrimmed(std::size_t taken) const override;

  // Call before records are drained that may be younger than the last of these steps.
  void set_clock(const ClockSteps& clock);
  // After a round that has drained everything older than `watermark_tsc`. Sessions that end do so
  // when they have what was published when they began to; after some seconds in any case.
  void end_round(std::uint64_t watermark_tsc, std::span<const RingDrain> rings,
                 std::chrono::steady_clock::time_point now);
  // Losses of a thread that no record in its ring reports.
  void add_losses(const RingBatch& at, std::uint64_t losses) override;
  // Between rounds: enables statements that sessions want. `sites`: all known ones.
  void follow_switches(const trace::SiteTable& sites);

  // The segment's session ends: so do the files of all sessions. False if that needs room: call it
  // again.
  bool finish(trace::EndReason reason);
  // Hands all files over, finished or not.
  void leave(bool segment_ended);

  // Whether it has nothing to do, and no record that it would leave out is in a ring.
  bool is_idle(std::chrono::steady_clock::time_point now) const {
    return taps_.empty() && (!switches_.any() || now - ended_ >= kLastRecords);
  }

 private:
  // A log call that found its statement enabled may still be recording when it is disabled.
  static constexpr std::chrono::seconds kLastRecords{2};

  struct Tap {
    std::unique_ptr<SessionTap> tap;
    std::vector<std::uint64_t> targets;  // by ring: what was published when the session ended
    std::chrono::steady_clock::time_point end_began;
    bool ending = false;
  };
  // A record that was left out.
  struct Mark {
    std::size_t input_end;
    std::size_t output_end;
  };

  void keep_lease(const SessionSwitches::Lease& lease);
  bool is_reached(const Tap& tap, std::span<const RingDrain> rings,
                  std::chrono::steady_clock::time_point now) const;

  const TapSource source_;
  SessionSwitches switches_;
  std::vector<Tap> taps_;
  std::size_t followed_sites_ = 0;     // known when switches_ was last told what is wanted
  std::size_t followed_sessions_ = 0;  // that did not end then
  std::vector<std::byte> thinned_;
  std::vector<Mark> marks_;
  std::chrono::steady_clock::time_point ended_;  // when the last session ended
};

}  // namespace ringside::consumer
