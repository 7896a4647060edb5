#pragma once
// The HTTP endpoint for monitoring: /metrics, /healthz, /readyz. A thread serves what the poll loop
// published last; the poll loop never waits for it.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/metrics/metrics_page.hpp"
#include "consumerd/metrics/open_connections.hpp"

struct MHD_Daemon;

namespace ringside::consumer {

class MetricsServer {
 public:
  // Null if the thread cannot be started.
  static std::unique_ptr<MetricsServer> start(UniqueFd listening);

  // Ends the thread at once, even with open connections.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // Called by the poll loop, about once a second. If the server's thread holds the lock at that
  // moment, nothing changes: the next call publishes.
  void publish(const std::shared_ptr<const MetricsSnapshot>& snapshot);

  struct Answer {
    unsigned status = 0;
    const char* type = "";
    std::string body;
  };
  // The answer to a request for `path`. Callable from any thread.
  Answer answer(const std::string& path) const;
  OpenConnections& connections() { return connections_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Published {
    std::shared_ptr<const MetricsSnapshot> snapshot;
    Clock::time_point when;
  };

  MetricsServer();
  Published published() const;

  OpenConnections connections_;  // used by the server's thread only
  mutable std::mutex mutex_;
  Published published_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace ringside::consumer
