#pragma once
// Gathers what is told of consumerd and its services, and gives it to the server. Of the poll loop,
// which it takes a bounded time of, however many services there are.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "consumerd/metrics_page.hpp"
#include "consumerd/metrics_server.hpp"
#include "consumerd/segment_session.hpp"
#include "consumerd/service_table.hpp"

namespace ringside::consumer {

class MetricsDesk {
 public:
  using Clock = std::chrono::steady_clock;
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;

  // Null if the server cannot be started.
  static std::unique_ptr<MetricsDesk> open(UniqueFd listening);

  // Counts a session from here on, until it is over. What it counted stays with its service.
  void adopt(const SegmentSession& session);
  void end(SegmentSession& session);

  void count_round(Clock::duration took) {
    rounds_.add(std::chrono::duration<double>(took).count());
  }

  // Whether gather() has anything to do.
  bool is_due(Clock::time_point now) const { return now >= next_; }
  // Reads some sessions; when all were read, publishes them together with `consumer`, but for its
  // times and counts of segments, which the desk knows itself. `trouble`: why consumerd is not
  // ready; what sessions have to say is added.
  void gather(const Sessions& sessions, Clock::time_point now, const ConsumerFigures& consumer,
              std::string trouble);

  // Not ready any more.
  void stop();

 private:
  // The most that a ring was filled in the last minute: of its two halves the greater.
  class Peak {
   public:
    double note(double value, Clock::time_point now);

   private:
    double present_ = 0;
    double before_ = 0;
    Clock::time_point since_{};
  };
  struct Watched {
    ServiceTable::Row* row = nullptr;
    ServiceMetrics last;
    Peak peak;
  };

  explicit MetricsDesk(std::unique_ptr<MetricsServer> server);
  void read(SegmentSession& session, Watched* watched, Clock::time_point now);
  void publish(std::string trouble);

  std::unique_ptr<MetricsServer> server_;
  ServiceTable table_;
  std::unordered_map<const SegmentSession*, Watched> watched_;
  RoundTimes rounds_;
  ConsumerFigures consumer_;  // as published last
  double start_unix_s_ = 0;
  std::uint64_t adopted_ = 0;
  std::size_t next_session_ = 0;  // to be read
  Clock::time_point next_{};
};

}  // namespace ringside::consumer
