#pragma once
// Statements of one segment that are enabled for sessions only: their switches, and whether a
// record is one of theirs.
//
// All sessions share one deadline of the segment, which is renewed while consumerd lives. Without
// it, the service itself reverts the switches, at the end of the last session or a minute after the
// last renewal, whichever is first.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/session_cursors.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

class SessionSwitches {
 public:
  using Lease = SessionCursors::Lease;

  // `keep` stores the lease where a successor finds it: before statements are enabled, and whenever
  // it changes.
  SessionSwitches(AttachedSegment& segment, std::function<void(const Lease&)> keep)
      : segment_(segment), keep_(std::move(keep)) {}

  // The lease that an earlier consumerd has left: what is enabled under it is for sessions only.
  // Call it after the first want().
  void resume(const Lease& left);

  // The present one.
  Lease lease() const { return slot_ ? Lease{std::uint64_t{*slot_} + 1, deadline_tsc_} : Lease{}; }

  // Which statements sessions want enabled, from now on: all `wanted` calls between two begin().
  void begin() { wanted_.clear(); }
  void want(const trace::Site& site);

  // Enables wanted statements that are disabled, reverts those that are not wanted any more, and
  // renews the deadline. `end_unix_ns`: when the last session ends; UINT64_MAX: not limited. A tool
  // that changes switches at this moment delays it until the next call.
  void follow(std::uint64_t end_unix_ns, const Log& log);

  // Whether any statement is, or was, enabled for sessions only.
  bool any() const { return any_; }
  // Whether a record of the statement is for sessions only. `tsc` of 0: stamped by the consumer.
  bool hides(std::uint32_t site_id, std::uint64_t tsc) const {
    return site_id < since_tsc_.size() && hidden(site_id, tsc);
  }

 private:
  bool hidden(std::uint32_t site_id, std::uint64_t tsc) const;
  std::uint8_t state(std::uint32_t site_id) const;
  bool is_ours(std::uint8_t state) const;
  bool needs_change();
  bool take_slot(std::uint64_t deadline_tsc, const Log& log);

  AttachedSegment& segment_;
  const std::function<void(const Lease&)> keep_;
  std::vector<std::uint8_t> wanted_;  // by site: 0, or the state that records
  // By site: since when it has been enabled for sessions only; UINT64_MAX: not.
  std::vector<std::uint64_t> since_tsc_;
  std::optional<std::uint32_t> slot_;
  std::uint64_t deadline_tsc_ = 0;
  bool any_ = false;
  bool logged_ = false;
};

}  // namespace ringside::consumer
