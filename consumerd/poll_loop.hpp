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
#include "consumerd/log.hpp"
#include "consumerd/options.hpp"
#include "consumerd/segment_directory.hpp"
#include "consumerd/segment_session.hpp"
#include "consumerd/slot_writer.hpp"
#include "consumerd/staging_file.hpp"

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
        directory_(options.shm_dir),
        io_(std::move(io)) {}

  // Until `stop` is set, or with --once until everything is drained. The exit status.
  // Whenever `rotate` is set, it clears it, and every trace goes on in a new file.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  bool open();
  bool is_second_consumer() const;
  void adopt_new_segments();
  void try_adopt(const std::string& name);
  RoundResult poll_all();
  void tend_all(Clock::time_point now);
  void wait_for(const std::string& name, Clock::duration delay);
  void refuse(const std::string& name, const std::string& why);
  bool recover(const std::string& staging);
  void rotate_all();
  void tell_keeper();
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

  const Options& options_;
  const Log& log_;
  const std::atomic<bool>& stop_;
  std::atomic<bool>& rotate_;
  SegmentDirectory directory_;
  std::unique_ptr<StagingFile> staging_;
  std::unique_ptr<BlockIo> io_;
  std::unique_ptr<SlotWriter> writer_;
  std::vector<std::unique_ptr<SegmentSession>> sessions_;
  std::unique_ptr<FileKeeper> keeper_;                // null if files stay as they are
  std::uint64_t files_ended_ = 0;                     // of all sessions, when the keeper was told
  std::size_t first_session_ = 0;                     // where the next round begins
  std::map<std::string, Clock::time_point> waiting_;  // segments to be looked at again, and when
  std::map<std::string, Clock::time_point> failed_recoveries_;  // by staging file: when to retry
  std::set<std::string> mentioned_;                             // said once
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
  Clock::time_point last_round_{};
  std::chrono::nanoseconds nap_{0};
};

}  // namespace ringside::consumer
