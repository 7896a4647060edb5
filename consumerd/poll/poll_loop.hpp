#pragma once
// The life of consumerd: finds segments, polls them round-robin, keeps the pace, ends.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/discover/consumer_presence.hpp"
#include "consumerd/discover/segment_directory.hpp"
#include "consumerd/files/file_keeper.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/poll/metrics_collector.hpp"
#include "consumerd/poll/round_pace.hpp"
#include "consumerd/poll/segment_adoption.hpp"
#include "consumerd/poll/staging_keeper.hpp"
#include "consumerd/poll/trigger_actions.hpp"
#include "consumerd/session/segment_session.hpp"
#include "consumerd/write/block_io.hpp"
#include "consumerd/write/slot_writer.hpp"

namespace ringside::consumer {

class PollLoop {
 public:
  // `io`: used instead of the backend that the options select, for tests.
  PollLoop(const Options& options, const Log& log, const std::atomic<bool>& stop,
           std::atomic<bool>& rotate, std::unique_ptr<BlockIo> io = nullptr)
      : options_(options),
        log_(log),
        stop_(stop),
        rotate_(rotate),
        users_(options.allowed_users),
        triggers_(options_, log),
        directory_(options.shm_dir),
        staging_(options_, log),
        io_(std::move(io)),
        adoption_(
            options_, users_, staging_, log,
            [this](std::unique_ptr<AttachedSegment> segment, std::string* why) {
              return start_session(std::move(segment), why);
            },
            [this](const std::string& name) {
              if (metrics_) metrics_->forget(name);
            }) {}

  // Runs until `stop` is set, or with --once until everything is drained. Returns the exit status.
  // Whenever `rotate` is set, clears it, reads the configuration file again, and continues every
  // trace in a new file.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  bool open();
  void show_presence();
  void scan_for_segments(Clock::time_point now);
  const SegmentSession* start_session(std::unique_ptr<AttachedSegment> segment, std::string* why);
  void take_turns(Clock::time_point now);
  void end_turns(uid_t user, Clock::time_point now);
  bool finish_turns();
  RoundResult poll_all();
  void tend_all(Clock::time_point now);
  void reload();
  void follow_keep_policy();
  void rotate_all();
  void notify_keeper();
  void update_metrics(Clock::time_point now);
  void end_of_truncated(SegmentSession& session);
  // Results of one step of every session that is ending.
  struct Ends {
    bool room = true;      // none of them needs room in staging
    bool stalled = false;  // the file of at least one cannot be written
  };
  Ends advance_ends();
  void keep_directory(Clock::time_point now);
  void change_staging();
  void seal_all();
  bool finish_all();
  int run_once();
  bool report_undrained() const;
  std::string trouble() const;
  void make_room();

  Options options_;
  const Log& log_;
  const std::atomic<bool>& stop_;
  std::atomic<bool>& rotate_;
  const AllowedUsers users_;
  TriggerActions triggers_;  // declared before the sessions, which refer to it
  SegmentDirectory directory_;
  ConsumerPresence presence_;
  StagingKeeper staging_;
  std::unique_ptr<BlockIo> io_;
  std::unique_ptr<SlotWriter> writer_;
  std::vector<std::unique_ptr<SegmentSession>> sessions_;
  SegmentAdoption adoption_;
  std::unique_ptr<MetricsCollector> metrics_;  // null if metrics are off
  std::unique_ptr<FileKeeper> keeper_;         // null if files are neither packed nor removed
  std::uint64_t files_ended_ = 0;              // of all sessions, when the keeper was last notified
  std::size_t first_session_ = 0;              // where the next round begins
  std::vector<std::string> unrecovered_;       // staging files whose recovery failed at the start
  bool directory_gone_ = false;
  bool logged_turns_ = false;     // logged that segments take turns
  bool logged_presence_ = false;  // logged that the presence file cannot be created
  Clock::time_point last_directory_check_{};
  Clock::time_point last_scan_{};
  Clock::time_point last_turns_{};
  Clock::time_point last_tend_{};
  Clock::time_point last_alive_check_{};
  Clock::time_point last_loss_check_{};
  RoundPace pace_;
};

}  // namespace ringside::consumer
