#pragma once
// The sessions that take a segment's records beside the main trace, while there are any.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/session/segment_clock.hpp"
#include "consumerd/sessions/segment_taps.hpp"

namespace ringside::consumer {

class TappedSessions {
 public:
  // From now on the session takes records, too. `rules`: those in force. False with `*why` if its
  // file cannot be opened.
  bool add(TraceSession& session, const TapSource& source,
           const std::shared_ptr<const RecordRules>& rules, std::string* why);
  // Whether it still takes records, or writes the end of its file.
  bool has(const TraceSession& session) const { return taps_ != nullptr && taps_->has(session); }
  // Null: only the main trace takes the records.
  BatchTaker* taker() const { return taps_.get(); }
  void set_rules(const std::shared_ptr<const RecordRules>& rules) {
    if (taps_ != nullptr) taps_->set_rules(rules);
  }
  // The front of a session's section, and each step of the clock before records that need it.
  void tell_time(const SegmentClock& clock) {
    if (taps_ != nullptr) taps_->set_clock({clock.before(), clock.last()});
  }
  void end_round(std::uint64_t watermark_tsc, std::span<const RingDrain> rings);
  // Between rounds. `dictionary`: null until the section's front is in the file.
  void tend(DictionaryFeed* dictionary);
  // The segment's session ends. A session whose disk accepts nothing does not delay that.
  void finish(trace::EndReason reason);

 private:
  std::unique_ptr<SegmentTaps> taps_;  // null: no session
};

}  // namespace ringside::consumer
