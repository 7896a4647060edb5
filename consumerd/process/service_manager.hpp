#pragma once
// Messages to the program that started this process as a service (systemd): sd_notify(3). All of it
// is optional: without NOTIFY_SOCKET nothing is sent, and no error has an effect on the trace.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

// Used by one thread only.
class ServiceManager {
 public:
  using Clock = std::chrono::steady_clock;

  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Call it before the sandbox is entered,
  // which forbids sockets; the connected one sends with write(). Returns the error, or an empty
  // text.
  std::string open();

  // From now on every segment can be adopted.
  void ready(std::string_view status);
  // The configuration is read again; ready() follows.
  void reloading();
  void stopping(std::string_view status);

  // Call it in each round of the loop that must not get stuck: sends WATCHDOG=1 when half of the
  // time that the manager allows is over, and what could not be sent before.
  void beat(Clock::time_point now);
  // When the next call is due. Later than the last one, so that the loop can sleep although the
  // manager reads nothing.
  std::optional<Clock::time_point> next_beat() const;

  // What `systemctl status` shows; sent at most once per second, and only if it has changed.
  bool status_is_due(Clock::time_point now) const;
  void show_status(Clock::time_point now, std::string_view status);

 private:
  void put(std::string message);
  void send_unsent();
  bool send(std::string_view message) const;

  UniqueFd socket_;
  std::chrono::microseconds interval_{0};  // of WATCHDOG=1; 0: none
  Clock::time_point next_beat_{};
  Clock::time_point last_status_{};
  std::string status_;               // as sent
  std::vector<std::string> unsent_;  // the manager's queue was full; in order
};

}  // namespace ringside::consumer
