#pragma once
// Triggers in the poll loop: events that it detects itself, and the actions between rounds.

#include <memory>
#include <utility>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/session/segment_session.hpp"
#include "consumerd/triggers/hook_runner.hpp"
#include "consumerd/triggers/trigger_queue.hpp"

namespace ringside::consumer {

class TriggerActions {
 public:
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;

  // Both must outlive this, and this the sessions.
  TriggerActions(const Options& options, const Log& log) : options_(options), log_(log) {}

  // Before the sandbox and the first thread: it forks. False if hooks cannot be run.
  bool start();
  // The options have other rules.
  void follow_rules(const Sessions& sessions);
  TriggerQueue& queue() { return queue_; }
  const TriggerQueue& queue() const { return queue_; }

  void check_losses(SegmentSession& session);
  // Checks whether the service has ended, and how.
  void check_end(SegmentSession& session);
  // Carries out what has fired.
  void carry_out_all(const Sessions& sessions);
  // Whether a snapshot was wanted since the last call: segments without a session need it too.
  bool take_wanted_snapshot() { return std::exchange(snapshot_wanted_, false); }

 private:
  bool can_run_hook(const TriggerRule& rule) const;
  void carry_out(const TriggerFiring& firing, const Sessions& sessions);

  const Options& options_;
  const Log& log_;
  TriggerQueue queue_;
  std::unique_ptr<HookRunner> hooks_;  // null: no rule has a hook
  bool snapshot_wanted_ = false;
};

}  // namespace ringside::consumer
