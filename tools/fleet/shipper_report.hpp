#pragma once
// What ringship reports about itself: a status for the fleet, and metrics.

#include <cstdint>
#include <memory>
#include <string>

#include "tools/fleet/fleet_metrics.hpp"
#include "tools/fleet/host_status.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/shipper.hpp"

namespace ringside::fleet {

// Not thread-safe. What it refers to must outlive it.
class ShipperReport {
 public:
  // `metrics`: null: none are served.
  ShipperReport(NatsConnection& connection, const Shipper& shipper, const TraceSegments& segments,
                std::string tenant, std::string host, std::string version, FleetMetrics* metrics);

  // Publishes the status if its time has come; the metrics too.
  void step(std::uint64_t now_ms, std::uint64_t snapshots);
  // The last one: call it at the end.
  void publish();

 private:
  NatsConnection& connection_;
  const Shipper& shipper_;
  const TraceSegments& segments_;
  FleetMetrics* const metrics_;
  HostStatus status_;
  std::uint64_t next_ms_ = 0;
};

}  // namespace ringside::fleet
