#pragma once
// Hands the trace files of all sessions to the thread that packs and removes them.

#include <cstdint>
#include <memory>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/files/file_keeper.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/metrics/metrics_page.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

class SessionFiles {
 public:
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;

  explicit SessionFiles(const Log& log) : log_(log) {}

  // The thread starts when files are to be packed or removed for the first time.
  void follow_policy(const Options& options, const Sessions& sessions);
  void adopt(const SegmentSession& session);
  // Never waits. Call it now and then.
  void notify(const Sessions& sessions);
  // A session is over, so all its files are closed.
  void ended() {
    if (keeper_) keeper_->look();
  }
  UnshippedCounts unshipped() const {
    return keeper_ ? UnshippedCounts{keeper_->unshipped_files(), keeper_->unshipped_records()}
                   : UnshippedCounts{};
  }
  // Waits until all work is done. Call nothing else after it.
  void finish() {
    if (keeper_) keeper_->finish();
  }

 private:
  const Log& log_;
  std::unique_ptr<FileKeeper> keeper_;
  std::uint64_t files_ended_ = 0;  // of all sessions, at the last notify()
};

}  // namespace ringside::consumer
