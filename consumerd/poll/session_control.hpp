#pragma once
// The sessions that ringctl has started: accepts requests, ends sessions, answers. Connects them to
// the segments that this consumerd drains.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/metrics/session_count.hpp"
#include "consumerd/session/segment_session.hpp"
#include "consumerd/sessions/session_requests.hpp"
#include "consumerd/sessions/trace_session.hpp"

namespace ringside::consumer {

class SessionControl {
 public:
  using Clock = std::chrono::steady_clock;
  using Segments = std::vector<std::unique_ptr<SegmentSession>>;

  // Both must outlive this, and this the segments' sessions.
  SessionControl(const Options& options, const Log& log)
      : options_(options), log_(log), requests_(options.shm_dir, log) {}

  // Accepts the requests that exist: of sessions that an earlier consumerd has not ended, too. When
  // recovery has finished, before any segment is adopted.
  void open();

  // A segment was adopted: sessions that run take its records.
  void adopt(SegmentSession& segment);

  // Between rounds. `appeared`: names of new requests. Costs nothing without sessions and requests.
  void tend(const Segments& segments, const std::vector<std::string>& appeared,
            Clock::time_point now) {
    waiting_.insert(appeared.begin(), appeared.end());
    if (!running_.empty() || !waiting_.empty()) tend_all(segments, now);
  }

  bool is_active() const { return !running_.empty() || !waiting_.empty(); }

  // The segments are released: waits until what was taken is in files, at most `patience`. What is
  // left then is for the next consumerd.
  void finish(Clock::duration patience);

  // By name.
  std::map<std::string, SessionCount> counts() const;

 private:
  struct Running {
    SessionRequest request;
    SessionCounts before;  // by earlier consumerds
    std::uint64_t start_unix_ns = 0;
    std::unique_ptr<TraceSession> session;
    std::set<std::string> refused;  // segments whose file could not be opened; logged
  };

  void tend_all(const Segments& segments, Clock::time_point now);
  // False if it must be tried again later.
  bool accept(const std::string& name, const Segments& segments);
  bool start(const std::string& name, SessionSpec spec, SessionRequest request,
             const SessionStatus* before, const Segments& segments, std::string* why);
  std::string obstacle(const SessionSpec& spec, bool resumes) const;
  void close_abandoned();
  void refuse(const std::string& name, const std::string& uuid, const std::string& why);
  void add(Running& running, SegmentSession& segment);
  void check_end(const std::string& name, Running& running);
  bool is_over(const Running& running, const Segments& segments) const;
  void end(const std::string& name, Running& running);
  SessionStatus status(const Running& running, const std::string& state,
                       std::uint64_t services) const;
  static std::uint64_t services_of(const Running& running, const Segments& segments);

  const Options& options_;
  const Log& log_;
  SessionRequests requests_;
  std::map<std::string, Running> running_;  // by name
  std::set<std::string> waiting_;           // names of requests that are not accepted yet
  Clock::time_point retry_{};               // of those
  Clock::time_point last_check_{};
  Clock::time_point last_answer_{};
};

}  // namespace ringside::consumer
