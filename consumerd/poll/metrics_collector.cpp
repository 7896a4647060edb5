#include "consumerd/poll/metrics_collector.hpp"

#include <algorithm>
#include <utility>

#include "consumerd/metrics/listening_socket.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kInterval = std::chrono::seconds(1);
// Per round: the rings of a service must not wait while thousands of other services are read.
constexpr auto kReadTime = std::chrono::microseconds(200);
constexpr auto kHalfPeak = std::chrono::seconds(30);

}  // namespace

bool MetricsCollector::listen(const std::string& address, const Log& log, UniqueFd* listening) {
  std::string why;
  *listening = listen_on(*parse_listening_address(address), &why);
  if (*listening) return true;
  log.error("cannot listen on " + address + " for metrics: " + why + "; choose another --metrics");
  return false;
}

std::unique_ptr<MetricsCollector> MetricsCollector::open(UniqueFd listening,
                                                         const std::string& address,
                                                         const Log& log) {
  std::unique_ptr<MetricsServer> server = MetricsServer::start(std::move(listening));
  if (server == nullptr) {
    log.error("cannot start a thread for metrics; raise the limit on processes (ulimit -u)");
    return nullptr;
  }
  log.detail("metrics on " + address);
  return std::unique_ptr<MetricsCollector>(new MetricsCollector(std::move(server)));
}

MetricsCollector::MetricsCollector(std::unique_ptr<MetricsServer> server)
    : server_(std::move(server)),
      start_unix_s_(
          std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
              .count()) {
  MetricsSnapshot starting;
  starting.trouble = "starting";
  server_->publish(std::make_shared<const MetricsSnapshot>(std::move(starting)));
}

double MetricsCollector::Peak::note(double value, Clock::time_point now) {
  if (now - since_ >= kHalfPeak) {
    before_ = now - since_ >= 2 * kHalfPeak ? 0 : present_;
    present_ = 0;
    since_ = now;
  }
  present_ = std::max(present_, value);
  return std::max(present_, before_);
}

void MetricsCollector::adopt(const SegmentSession& session) {
  if (auto before = interrupted_.extract(session.name())) {
    Watched& watched = watched_[&session] = before.mapped();
    // These the session counts anew; the others it reads from the segment.
    ServiceTotals& totals = watched.last.totals;
    totals.records = totals.sampled = totals.ring_bytes = totals.trace_bytes = 0;
    totals.files_finished = 0;
    totals.lost[shm::counter_of(shm::LossCause::kOverwritten)] = 0;
    return;
  }
  ++adopted_;
  watched_[&session].row = table_.enter(std::string(shm::service_of_segment_name(session.name())));
}

void MetricsCollector::end(SegmentSession& session) {
  const auto at = watched_.find(&session);
  if (at == watched_.end()) return;
  read(session, &at->second, Clock::now());
  table_.leave(at->second.row);
  watched_.erase(at);
}

void MetricsCollector::interrupt(SegmentSession& session) {
  const auto at = watched_.find(&session);
  if (at == watched_.end()) return;
  read(session, &at->second, Clock::now());
  interrupted_.insert_or_assign(session.name(), at->second);
  watched_.erase(at);
}

void MetricsCollector::forget(const std::string& segment) {
  if (const auto before = interrupted_.extract(segment)) table_.leave(before.mapped().row);
}

void MetricsCollector::read(SegmentSession& session, Watched* watched, Clock::time_point now) {
  ServiceMetrics metrics = session.metrics();
  metrics.totals.keep_growing(watched->last.totals);
  metrics.state.peak = watched->peak.note(std::max(metrics.state.peak, metrics.state.fill), now);
  ServiceTable::count(watched->row, watched->last.totals, metrics.totals);
  watched->last = metrics;
}

void MetricsCollector::gather(const Sessions& sessions, Clock::time_point now,
                              const ConsumerFigures& consumer, std::string trouble) {
  const auto deadline = now + kReadTime;
  while (next_session_ < sessions.size()) {
    SegmentSession& session = *sessions[next_session_++];
    const auto at = watched_.find(&session);
    if (at != watched_.end()) read(session, &at->second, now);
    if (Clock::now() >= deadline) return;
  }
  next_session_ = 0;
  next_ = now + kInterval;
  consumer_ = consumer;
  consumer_.segments = sessions.size();
  for (const auto& session : sessions) {
    if (session->stalled()) trouble = session->file().path() + " cannot be written";
  }
  publish(std::move(trouble));
}

void MetricsCollector::publish(std::string trouble) {
  table_.clear_states();
  for (const auto& [session, watched] : watched_) {
    ServiceTable::add_state(watched.row, watched.last.state);
  }
  for (const auto& [segment, watched] : interrupted_) {
    ServiceTable::add_state(watched.row, watched.last.state);
  }
  consumer_.start_unix_s = start_unix_s_;
  consumer_.rounds = rounds_;
  consumer_.segments_adopted = adopted_;
  server_->publish(std::make_shared<const MetricsSnapshot>(
      MetricsSnapshot{consumer_, table_.rows(), std::move(trouble)}));
}

void MetricsCollector::stop() {
  publish("stopping");
}

}  // namespace ringside::consumer
