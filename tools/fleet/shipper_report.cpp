#include "tools/fleet/shipper_report.hpp"

#include <chrono>
#include <utility>

namespace ringside::fleet {
namespace {

constexpr std::uint64_t kStatusIntervalMs = 5000;

std::int64_t unix_ns_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::vector<FleetMetric> metrics_of(const HostStatus& status, bool is_connected) {
  using Type = FleetMetric::Type;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  return {
      {"ringside_ship_connected", "Whether ringship is connected to a NATS server", Type::kGauge,
       is_connected ? 1.0 : 0.0},
      {"ringside_ship_segments", "Segments that have trace files", Type::kGauge,
       number(status.segments)},
      {"ringside_ship_lag_bytes", "Bytes of trace files that the server has not stored",
       Type::kGauge, number(status.lag_bytes)},
      {"ringside_ship_oldest_unshipped_seconds", "Age of the oldest of these bytes; 0: none",
       Type::kGauge, number(status.oldest_unshipped_ms) / 1000},
      {"ringside_ship_records_total", "Records that the server has stored", Type::kCounter,
       number(status.records)},
      {"ringside_ship_messages_total", "Messages that the server has stored", Type::kCounter,
       number(status.messages)},
      {"ringside_ship_bytes_total", "Bytes of these messages", Type::kCounter,
       number(status.bytes)},
      {"ringside_ship_lost_records_total", "Records lost by services, as stated in their traces",
       Type::kCounter, number(status.lost)},
      {"ringside_ship_refused_messages_total",
       "Messages that the server refused; their records are lost", Type::kCounter,
       number(status.refused)},
      {"ringside_ship_failures_total", "Attempts to publish that failed and were repeated",
       Type::kCounter, number(status.failures)},
      {"ringside_ship_snapshots_total", "Snapshots of the fleet that this host has sent",
       Type::kCounter, number(status.snapshots)},
  };
}

}  // namespace

ShipperReport::ShipperReport(NatsConnection& connection, const Shipper& shipper,
                             const TraceSegments& segments, std::string tenant, std::string host,
                             std::string version, FleetMetrics* metrics)
    : connection_(connection), shipper_(shipper), segments_(segments), metrics_(metrics) {
  status_.tenant = std::move(tenant);
  status_.host = std::move(host);
  status_.version = std::move(version);
  status_.interval_ms = kStatusIntervalMs;
}

void ShipperReport::step(std::uint64_t now_ms, std::uint64_t snapshots) {
  status_.snapshots = snapshots;
  if (now_ms < next_ms_) return;
  next_ms_ = now_ms + kStatusIntervalMs;
  publish();
}

void ShipperReport::publish() {
  status_.unix_ns = unix_ns_now();
  status_.segments = segments_.segments().size();
  const ShipperLag lag = shipper_.lag();
  status_.lag_bytes = lag.bytes;
  status_.oldest_unshipped_ms = lag.oldest_ms;
  const ShipperCounts& counts = shipper_.counts();
  status_.records = counts.records;
  status_.messages = counts.messages;
  status_.bytes = counts.bytes;
  status_.lost = counts.lost;
  status_.refused = counts.refused;
  status_.failures = counts.failures;
  if (metrics_ != nullptr) metrics_->update(metrics_of(status_, connection_.is_connected()));
  // Without an acknowledgement: the next one replaces it.
  const std::string text = write_host_status(status_);
  natsConnection_Publish(connection_.handle(), status_subject(status_.tenant, status_.host).c_str(),
                         text.data(), static_cast<int>(text.size()));
}

}  // namespace ringside::fleet
