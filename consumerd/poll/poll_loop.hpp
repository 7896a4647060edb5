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
#include "consumerd/log/log.hpp"
#include "consumerd/poll/left_staging.hpp"
#include "consumerd/poll/metrics_collector.hpp"
#include "consumerd/poll/round_pace.hpp"
#include "consumerd/poll/segment_adoption.hpp"
#include "consumerd/poll/session_control.hpp"
#include "consumerd/poll/session_files.hpp"
#include "consumerd/poll/session_placement.hpp"
#include "consumerd/poll/session_text.hpp"
#include "consumerd/poll/session_turns.hpp"
#include "consumerd/poll/short_rounds.hpp"
#include "consumerd/poll/staging_keeper.hpp"
#include "consumerd/poll/trigger_actions.hpp"
#include "consumerd/poll/watched_directory.hpp"
#include "consumerd/process/service_manager.hpp"
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
        users_(options.allowed_users, options.allowed_groups),
        triggers_(options_, log),
        session_control_(options_, log),
        directory_(options.shm_dir, users_, log),
        left_staging_(options.shm_dir, options.sync.syncs(), log),
        staging_(options_, log),
        writers_(std::move(io)),
        adoption_(
            options_, users_, staging_, log,
            [this](std::unique_ptr<AttachedSegment> segment, std::string* why) {
              return start_session(std::move(segment), why);
            },
            [this](const std::string& name) {
              if (metrics_) metrics_->forget(name);
            }),
        turns_(log),
        files_(log),
        text_(log),
        pace_(log),
        placement_(log) {}

  // Runs until `stop` is set, or with --once until everything is drained. Returns the exit status.
  // Whenever `rotate` is set, clears it, reads the configuration file again, and continues every
  // trace in a new file.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  bool open();
  void scan_for_segments(Clock::time_point now);
  const SegmentSession* start_session(std::unique_ptr<AttachedSegment> segment, std::string* why);
  bool finish_turns();
  RoundResult poll_all();
  void tend_all(Clock::time_point now);
  void reload();
  void rotate_all();
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
  void seal_all() {
    for (const auto& session : sessions_) session->seal();
  }
  int finish();
  bool finish_all();
  int run_once();
  // Whether anything is left.
  bool report_undrained() const {
    adoption_.undrained().log_all(log_);
    const bool unrecovered = left_staging_.report_unrecovered();
    return unrecovered || !adoption_.undrained().empty();
  }
  // Why it is not ready, without the problems of sessions.
  std::string trouble() const {
    return directory_.is_gone() ? options_.shm_dir + " is missing"
                                : adoption_.undrained().summary();
  }
  // For the service manager.
  std::string status() const;
  void make_room();
  Clock::time_point next_round(Clock::time_point now) const;

  Options options_;
  const Log& log_;
  const std::atomic<bool>& stop_;
  std::atomic<bool>& rotate_;
  const AllowedUsers users_;
  ServiceManager manager_;
  TriggerActions triggers_;         // declared before the sessions, which refer to it
  SessionControl session_control_;  // the same
  WatchedDirectory directory_;
  LeftStaging left_staging_;
  StagingKeeper staging_;
  SlotWriters writers_;
  EncoderThreads threads_;
  std::vector<std::unique_ptr<SegmentSession>> sessions_;
  SegmentAdoption adoption_;
  SessionTurns turns_;
  std::unique_ptr<MetricsCollector> metrics_;  // null if metrics are off
  SessionFiles files_;
  SessionText text_;
  std::size_t first_session_ = 0;  // where the next round begins
  ShortRounds short_rounds_;
  Clock::time_point last_scan_{};
  Clock::time_point last_tend_{};
  Clock::time_point last_alive_check_{};
  Clock::time_point last_loss_check_{};
  RoundPace pace_;
  SessionPlacement placement_;
};

}  // namespace ringside::consumer
