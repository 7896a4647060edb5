#include "consumerd/poll/watched_directory.hpp"

#include <utility>

namespace ringside::consumer {
namespace {

constexpr auto kPresenceCheckInterval = std::chrono::milliseconds(100);

}  // namespace

bool WatchedDirectory::check(Clock::time_point now) {
  if (now - last_check_ < kPresenceCheckInterval) return false;
  last_check_ = now;
  const bool gone = !directory_.follow();
  if (gone && !gone_) {
    log_.error(path_ + " was removed; waiting until it is created again");
  } else if (!gone && gone_) {
    log_.notice("watching " + path_ + " again");
  }
  gone_ = gone;
  if (!gone && !presence_.reachable()) show_presence();
  return true;
}

void WatchedDirectory::show_presence() {
  std::string why;
  if (presence_.show(path_, users_, &why)) {
    logged_presence_ = false;
  } else if (!std::exchange(logged_presence_, true)) {
    log_.error(why);
  }
}

}  // namespace ringside::consumer
