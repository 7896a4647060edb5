#pragma once
// The life of consumerd: finds segments, polls them round-robin, keeps the pace, ends.

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "consumerd/block_io.hpp"
#include "consumerd/log.hpp"
#include "consumerd/options.hpp"
#include "consumerd/segment_directory.hpp"
#include "consumerd/segment_session.hpp"
#include "consumerd/slot_writer.hpp"
#include "consumerd/staging_file.hpp"

namespace ringside::consumer {

class PollLoop {
 public:
  PollLoop(const Options& options, const Log& log, const std::atomic<bool>& stop)
      : options_(options), log_(log), stop_(stop), directory_(options.shm_dir) {}

  // Until `stop` is set, or with --once until everything is drained. The exit status.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  bool open();
  void adopt_new_segments();
  void try_adopt(const std::string& name);
  RoundResult poll_all();
  void tend_all(Clock::time_point now);
  void finish_session(std::size_t index, trace::EndReason reason);
  void finish_all(trace::EndReason live_reason);
  void make_room();
  void pace(const RoundResult& round);

  const Options& options_;
  const Log& log_;
  const std::atomic<bool>& stop_;
  SegmentDirectory directory_;
  std::unique_ptr<StagingFile> staging_;
  std::unique_ptr<BlockIo> io_;
  std::unique_ptr<SlotWriter> writer_;
  std::vector<std::unique_ptr<SegmentSession>> sessions_;
  std::set<std::string> waiting_;    // not ready, or drained by another: looked at again
  std::set<std::string> mentioned_;  // said once
  bool owned_by_other_ = false;
  Clock::time_point last_look_{};
  Clock::time_point last_tend_{};
  Clock::time_point last_alive_check_{};
  Clock::time_point last_round_{};
  std::chrono::nanoseconds nap_{0};
};

}  // namespace ringside::consumer
