#pragma once
// The life of consumerd: finds segments, polls them round-robin, keeps the pace, ends.

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumerd/block_io.hpp"
#include "consumerd/file_keeper.hpp"
#include "consumerd/hook_runner.hpp"
#include "consumerd/log.hpp"
#include "consumerd/look_queue.hpp"
#include "consumerd/metrics_desk.hpp"
#include "consumerd/options.hpp"
#include "consumerd/said_once.hpp"
#include "consumerd/segment_directory.hpp"
#include "consumerd/segment_session.hpp"
#include "consumerd/slot_writer.hpp"
#include "consumerd/staging_file.hpp"
#include "consumerd/trigger_desk.hpp"
#include "consumerd/trusted_open.hpp"

namespace ringside::consumer {

class PollLoop {
 public:
  // `io`: to write with instead of what the options choose, for tests.
  PollLoop(const Options& options, const Log& log, const std::atomic<bool>& stop,
           std::atomic<bool>& rotate, std::unique_ptr<BlockIo> io = nullptr)
      : options_(options),
        log_(log),
        stop_(stop),
        rotate_(rotate),
        users_(options.allowed_users),
        directory_(options.shm_dir),
        io_(std::move(io)) {}

  // Until `stop` is set, or with --once until everything is drained. The exit status.
  // Whenever `rotate` is set, it clears it, reads the configuration file again, and every trace
  // goes on in a new file.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  bool open();
  bool is_second_consumer() const;
  // Looks at segments that are due, those that wait longest first, for `at_most`.
  void adopt_new_segments(Clock::duration at_most);
  void try_adopt(const std::string& name);
  std::unique_ptr<AttachedSegment> attach(const std::string& name, AttachFailure* failure);
  void put_off(const std::string& name, const AttachFailure& failure);
  bool has_share_left(uid_t user) const;
  RoundResult poll_all();
  void tend_all(Clock::time_point now);
  bool start_triggers();
  void follow_triggers();
  bool can_run_hook(const TriggerRule& rule) const;
  void look_at_losses(SegmentSession& session);
  void note_end(SegmentSession& session);
  void carry_out_triggers();
  void carry_out(const TriggerFiring& firing);
  void wait_for(const std::string& name, Clock::duration delay);
  void refuse(const std::string& name, const std::string& why);
  bool recover(const std::string& staging);
  std::uint64_t failing_recoveries(Clock::time_point now) const;
  void reload();
  void rotate_all();
  void tell_keeper();
  void tell_metrics(Clock::time_point now);
  void end_of_truncated(SegmentSession& session);
  // One step of every session that is ending.
  struct Ends {
    bool room = true;      // none of them needs room in staging
    bool stalled = false;  // the file of one of them cannot be written
  };
  Ends advance_ends();
  void keep_directory(Clock::time_point now);
  void renew_staging();
  bool finish_all();
  void make_room();
  void pace(const RoundResult& round);

  Options options_;
  const Log& log_;
  const std::atomic<bool>& stop_;
  std::atomic<bool>& rotate_;
  const AllowedUsers users_;
  TriggerDesk triggers_;               // before the sessions, which refer to it
  std::unique_ptr<HookRunner> hooks_;  // null: no rule has one
  SegmentDirectory directory_;
  std::unique_ptr<StagingFile> staging_;
  std::unique_ptr<BlockIo> io_;
  std::unique_ptr<SlotWriter> writer_;
  std::vector<std::unique_ptr<SegmentSession>> sessions_;
  std::map<uid_t, std::size_t> sessions_of_;          // how many of each user
  std::set<std::string> stems_;                       // of their trace files
  std::unique_ptr<MetricsDesk> metrics_;              // null if nobody asks for them
  std::uint64_t refused_ = 0;                         // segments, each time that is said
  std::unique_ptr<FileKeeper> keeper_;                // null if files stay as they are
  std::uint64_t files_ended_ = 0;                     // of all sessions, when the keeper was told
  std::size_t first_session_ = 0;                     // where the next round begins
  LookQueue waiting_;                                 // segments to be looked at again
  std::map<std::string, Clock::duration> not_ready_;  // those that were found so: when to again
  std::map<std::string, Clock::time_point> failed_recoveries_;  // by staging file: when to retry
  SaidOnce mentioned_;
  bool owned_by_other_ = false;
  bool drained_any_ = false;
  std::optional<Clock::time_point> owned_since_;
  std::unique_ptr<StagingFile> fresh_staging_;  // takes over when the present one is empty
  bool directory_gone_ = false;
  bool told_staging_ = false;  // said that no new staging file can be made
  Clock::time_point last_directory_check_{};
  Clock::time_point last_look_{};
  Clock::time_point last_tend_{};
  Clock::time_point last_alive_check_{};
  Clock::time_point last_loss_look_{};
  Clock::time_point last_round_{};
  std::chrono::nanoseconds nap_{0};
};

}  // namespace ringside::consumer
