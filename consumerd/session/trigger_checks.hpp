#pragma once
// What is checked for triggers in one segment: records, also in rings that are overwritten, and
// losses.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/rings/loss_watch.hpp"
#include "consumerd/rings/ring_peek.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/session/round_result.hpp"
#include "consumerd/triggers/trigger_queue.hpp"
#include "consumerd/triggers/trigger_watch.hpp"

namespace ringside::consumer {

class TriggerChecks {
 public:
  TriggerChecks(AttachedSegment& segment, const Log& log) : segment_(segment), log_(log) {}

  TriggerSource source() const;

  // Follows the queue's rules. `drains`: the session has drained rings already.
  void follow(TriggerQueue& triggers, bool drains);

  // Null: no trigger checks records.
  TriggerWatch* watch() const { return watch_.get(); }
  // Records that the service has lost since the last call, if a trigger uses losses.
  std::uint64_t new_losses() { return loss_watch_ ? loss_watch_->new_losses() : 0; }

  // For rings [0, rings), which are overwritten: checks what was recorded since the last call,
  // about `most_bytes` of it. False if staging is full. `scratch`: memory for copies. `result` may
  // be null.
  bool check_overwritten(std::uint64_t most_bytes, std::size_t rings, DictionaryFeed& dictionary,
                         RecordPass* pass, std::vector<std::byte>* scratch, RoundResult* result);

 private:
  AttachedSegment& segment_;
  const Log& log_;
  std::unique_ptr<TriggerWatch> watch_;
  std::unique_ptr<LossWatch> loss_watch_;
  std::vector<RingPeek> peeks_;  // by ring
  std::size_t first_peek_ = 0;   // where the next check begins
  bool peeks_from_now_ = false;  // for the peeks that are created next
  bool logged_missed_ = false;   // logged that some records cannot be checked
};

}  // namespace ringside::consumer
