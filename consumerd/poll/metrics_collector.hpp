#pragma once
// Gathers the metrics of consumerd and its services, and hands them to the server. Runs in the poll
// loop and takes a bounded time of it, however many services there are.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "consumerd/metrics/metrics_page.hpp"
#include "consumerd/metrics/metrics_server.hpp"
#include "consumerd/metrics/service_table.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

class MetricsCollector {
 public:
  using Clock = std::chrono::steady_clock;
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;

  // Listens on the address of --metrics. False if that is impossible; it is logged.
  static bool listen(const std::string& address, const Log& log, UniqueFd* listening);
  // Null if the server cannot be started; it is logged.
  static std::unique_ptr<MetricsCollector> open(UniqueFd listening, const std::string& address,
                                                const Log& log);

  // adopt() starts to count a session, end() stops. Its counts stay with its service. Between
  // interrupt() and the next adopt() of the same segment, or forget(), its process still counts.
  void adopt(const SegmentSession& session);
  void end(SegmentSession& session);
  void interrupt(SegmentSession& session);
  void forget(const std::string& segment);

  void count_round(Clock::duration took) {
    rounds_.add(std::chrono::duration<double>(took).count());
  }

  // Whether gather() has anything to do.
  bool is_due(Clock::time_point now) const { return now >= next_; }
  // Reads some sessions. When all were read, publishes them together with `consumer`, except for
  // times and counts of segments, which this class has itself. `trouble`: why consumerd is not
  // ready; the problems of sessions are added.
  void gather(const Sessions& sessions, Clock::time_point now, const ConsumerFigures& consumer,
              std::string trouble);

  // From now on consumerd is not ready.
  void stop();

 private:
  // The highest fill of a ring in the last minute: the maximum of its two halves.
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

  explicit MetricsCollector(std::unique_ptr<MetricsServer> server);
  void read(SegmentSession& session, Watched* watched, Clock::time_point now);
  void publish(std::string trouble);

  std::unique_ptr<MetricsServer> server_;
  ServiceTable table_;
  std::unordered_map<const SegmentSession*, Watched> watched_;
  std::unordered_map<std::string, Watched> interrupted_;  // by segment
  RoundTimes rounds_;
  ConsumerFigures consumer_;  // as last published
  double start_unix_s_ = 0;
  std::uint64_t adopted_ = 0;
  std::size_t next_session_ = 0;  // the next session to read
  Clock::time_point next_{};
};

}  // namespace ringside::consumer
