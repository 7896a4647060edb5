#pragma once
// What ringsink serves for Prometheus.

#include <vector>

#include "tools/fleet/clickhouse_delivery.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/fleet_metrics.hpp"

namespace ringside::fleet {

std::vector<FleetMetric> metrics_of(const FileSinkCounts& counts, bool is_connected);
std::vector<FleetMetric> metrics_of(const MessageRowCounts& rows,
                                    const ClickHouseDeliveryCounts& counts, bool is_connected);

}  // namespace ringside::fleet
