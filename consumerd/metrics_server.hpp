#pragma once
// The HTTP endpoint for whoever watches consumerd: /metrics, /healthz, /readyz. A thread of its own
// hands out what the poll loop published last; the poll loop never waits for it.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "consumerd/metrics_page.hpp"
#include "consumerd/unique_fd.hpp"

struct MHD_Daemon;

namespace ringside::consumer {

class MetricsServer {
 public:
  // Null if the thread cannot be started.
  static std::unique_ptr<MetricsServer> start(UniqueFd listening);

  // Ends the thread at once, whoever is connected.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // By the poll loop, about once a second. If the server's thread just holds the lock, nothing
  // changes: there is always a next time.
  void publish(const std::shared_ptr<const MetricsSnapshot>& snapshot);

  struct Answer {
    unsigned status = 0;
    const char* type = "";
    std::string body;
  };
  // To a request for `path`. Any thread.
  Answer answer(const std::string& path) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Published {
    std::shared_ptr<const MetricsSnapshot> snapshot;
    Clock::time_point when;
  };

  MetricsServer();
  Published published() const;

  mutable std::mutex mutex_;
  Published published_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace ringside::consumer
