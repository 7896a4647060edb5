#include "tools/fleet/sink_metrics.hpp"

#include <cstdint>

namespace ringside::fleet {
namespace {

using Type = FleetMetric::Type;

// Of both kinds of sinks.
struct SinkCounts {
  std::uint64_t messages = 0;
  std::uint64_t extents = 0;
  std::uint64_t repeated_extents = 0;
  std::uint64_t refused = 0;
};

FleetMetric counter(const char* name, const char* help, std::uint64_t value) {
  return {name, help, Type::kCounter, static_cast<double>(value)};
}

std::vector<FleetMetric> metrics_of(const SinkCounts& counts, bool is_connected) {
  return {
      {"ringside_sink_connected", "Whether ringsink is connected to a NATS server", Type::kGauge,
       is_connected ? 1.0 : 0.0},
      counter("ringside_sink_messages_total",
              "Messages that were written, inserted or known before", counts.messages),
      counter("ringside_sink_extents_total", "Extents that were taken", counts.extents),
      counter("ringside_sink_repeated_extents_total", "Extents that came again and were left out",
              counts.repeated_extents),
      counter("ringside_sink_refused_messages_total", "Messages that were refused as invalid",
              counts.refused),
  };
}

}  // namespace

std::vector<FleetMetric> metrics_of(const FileSinkCounts& counts, bool is_connected) {
  std::vector<FleetMetric> metrics = metrics_of(
      SinkCounts{counts.messages, counts.extents, counts.repeated_extents, counts.refused},
      is_connected);
  metrics.push_back(
      counter("ringside_sink_written_bytes_total", "Bytes written to files", counts.bytes));
  return metrics;
}

std::vector<FleetMetric> metrics_of(const MessageRowCounts& rows,
                                    const ClickHouseDeliveryCounts& counts, bool is_connected) {
  std::vector<FleetMetric> metrics =
      metrics_of(SinkCounts{counts.acknowledged, rows.extents, rows.repeated_extents, rows.refused},
                 is_connected);
  metrics.push_back(
      counter("ringside_sink_records_total", "Records that were taken as rows", rows.records));
  metrics.push_back(
      counter("ringside_sink_batches_total", "Batches inserted into ClickHouse", counts.batches));
  metrics.push_back(counter("ringside_sink_dead_letters_total", "Messages stored as dead letters",
                            counts.dead_letters));
  return metrics;
}

}  // namespace ringside::fleet
