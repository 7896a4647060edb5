#pragma once
// The directory of the segments, and the file in it that shows that this consumerd is there.

#include <chrono>
#include <string>
#include <vector>

#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/discover/consumer_presence.hpp"
#include "consumerd/discover/segment_directory.hpp"
#include "consumerd/log/log.hpp"

namespace ringside::consumer {

// The directory may be removed and created again, or files in it deleted.
class WatchedDirectory {
 public:
  using Clock = std::chrono::steady_clock;

  // `log` and `users` must outlive it.
  WatchedDirectory(const std::string& path, const AllowedUsers& users, const Log& log)
      : path_(path), users_(users), log_(log), directory_(path) {}

  bool open(std::string* why) { return directory_.open(why); }
  // Has input when segments may have appeared.
  int descriptor() const { return directory_.descriptor(); }
  // Names of segments that have appeared since the last call.
  std::vector<std::string> appeared() { return directory_.appeared(); }
  std::vector<std::string> take_session_requests() { return directory_.take_session_requests(); }
  bool is_gone() const { return gone_; }

  // Returns whether it was due. Logs when the directory is removed or there again.
  bool check(Clock::time_point now);

  void show_presence();
  void withdraw_presence() { presence_.withdraw(); }

 private:
  const std::string path_;
  const AllowedUsers& users_;
  const Log& log_;
  SegmentDirectory directory_;
  ConsumerPresence presence_;
  bool gone_ = false;
  bool logged_presence_ = false;  // that the presence file cannot be created
  Clock::time_point last_check_{};
};

}  // namespace ringside::consumer
