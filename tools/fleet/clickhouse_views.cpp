#include "tools/fleet/clickhouse_views.hpp"

#include <fmt/format.h>

#include "tools/fleet/extent_rows.hpp"

namespace ringside::fleet {
namespace {

constexpr const char* kPercentiles = "quantilesTDigest(0.5, 0.9, 0.99)";

// One row for each statement and minute of each extent. The same extent always gives the same rows
// with the same key: what comes again replaces them, and is not counted twice. Rows of snapshots
// are not counted: the same records can come in other extents.
std::string minutes_query() {
  return fmt::format(
      "SELECT toStartOfMinute(time) AS minute, tenant, service, host, level, name, file, line, "
      "statement, segment, stream, extent, count() AS records, "
      "sum(length(message) + length(fields)) AS bytes, "
      "{}StateIf(0.5, 0.9, 0.99)(ifNull(duration_ns, toUInt64(0)), isNotNull(duration_ns)) AS "
      "durations, "
      "sum(ifNull(duration_ns, toUInt64(0))) AS duration_sum_ns\n"
      "FROM records{{}}\nWHERE extent != {}\n"
      "GROUP BY minute, tenant, service, host, level, name, file, line, statement, segment, "
      "stream, extent",
      "quantilesTDigest", kSnapshotExtent);
}

}  // namespace

std::vector<std::string> statement_minutes(const ClickHouseServer& server) {
  const bool is_old = server.dialect == ClickHouseDialect::kOld;
  const auto records = columns_of(ClickHouseTable::kRecords);
  std::string table = "CREATE TABLE IF NOT EXISTS statement_minutes\n(\n    minute ";
  table += is_old ? "DateTime('UTC'),\n" : "DateTime('UTC') CODEC(DoubleDelta, LZ4),\n";
  for (const std::string_view name : {"tenant", "service", "host", "level", "name", "file", "line",
                                      "statement", "segment", "stream", "extent"}) {
    for (const ClickHouseColumn& column : records) {
      if (column.name == name)
        table += fmt::format("    {} {},\n", name, column.type_in(server.dialect));
    }
  }
  table += fmt::format(
      "    records UInt64,\n    bytes UInt64,\n"
      "    durations AggregateFunction({}, UInt64),\n    duration_sum_ns UInt64\n)\n"
      "ENGINE = ReplacingMergeTree\nPARTITION BY toYYYYMM(minute)\n"
      "ORDER BY (service, minute, statement, segment, stream, extent, host, tenant)",
      kPercentiles);
  if (server.deduplicates()) table += "\nSETTINGS non_replicated_deduplication_window = 1000";
  const std::string query = minutes_query();
  return {table,
          "CREATE MATERIALIZED VIEW IF NOT EXISTS statement_minutes_view TO statement_minutes AS " +
              fmt::format(fmt::runtime(query), ""),
          "INSERT INTO statement_minutes (minute, tenant, service, host, level, name, file, line, "
          "statement, segment, stream, extent, records, bytes, durations, duration_sum_ns) " +
              fmt::format(fmt::runtime(query), " FINAL")};
}

std::vector<std::string> loss_views() {
  // Ranges can overlap: a range begins and ends with an event, and a gap lies between two events
  // where no range is open. Ranges of snapshots fill gaps, but show none: nothing was to be sent
  // beside them, or it comes later. Equal events of a range that is stored twice change nothing.
  constexpr const char* kGaps =
      "CREATE VIEW IF NOT EXISTS gaps AS\n"
      "SELECT toDateTime(intDiv(gap.3, 1000000000), 'UTC') AS time, gap.3 AS time_ns, tenant, "
      "service, host, segment, stream, gap.1 AS sequence, gap.2 AS lost, 'missing' AS cause\n"
      "FROM\n(\n"
      "    SELECT tenant, service, host, segment, stream, begun, ended, arrayJoin(arrayFilter(g -> "
      "g.2 > 0, arrayMap((open, before, after) -> (before.1, toUInt64(if(open = 0, after.1 - "
      "before.1, 0)), after.3), arrayPopBack(arrayCumSum(arrayMap(e -> if(e.2 = 0, 1, -1), "
      "events))), arrayPopBack(events), arrayPopFront(events)))) AS gap\n"
      "    FROM\n    (\n"
      "        SELECT tenant, service, host, segment, stream, minIf(event.1, snapshot = 0) AS "
      "begun, maxIf(event.1, snapshot = 0) AS ended, "
      "arraySort(groupArray((event.1, event.2, time_ns))) AS events\n"
      "        FROM (SELECT tenant, service, host, segment, stream, time_ns, snapshot, "
      "arrayJoin([(first, 0), (next, 1)]) AS event FROM extents)\n"
      "        GROUP BY tenant, service, host, segment, stream\n"
      "    )\n)\n"
      "WHERE gap.1 >= begun AND gap.1 + gap.2 <= ended";
  constexpr const char* kAll =
      "CREATE VIEW IF NOT EXISTS all_losses AS\n"
      "SELECT toDateTime(intDiv(time_ns, 1000000000), 'UTC') AS time, time_ns, "
      "toString(tenant) AS tenant, toString(service) AS service, toString(host) AS host, segment, "
      "stream, sequence, lost, toString(cause) AS cause\n"
      "FROM losses FINAL WHERE origin != 'statement'\n"
      "UNION ALL\n"
      "SELECT time, time_ns, toString(tenant) AS tenant, toString(service) AS service, "
      "toString(host) AS host, segment, stream, sequence, lost, cause FROM gaps";
  return {kGaps, kAll};
}

std::vector<std::string> lookup_indexes(const ClickHouseServer& server) {
  if (server.dialect == ClickHouseDialect::kOld) return {};
  // Indexes also serve queries with FINAL, which no projection does.
  std::vector<std::string> statements{
      "ALTER TABLE records ADD INDEX IF NOT EXISTS activity_index activity "
      "TYPE bloom_filter(0.01) GRANULARITY 1",
      "ALTER TABLE records ADD INDEX IF NOT EXISTS related_index related "
      "TYPE bloom_filter(0.01) GRANULARITY 1",
      "ALTER TABLE records ADD INDEX IF NOT EXISTS statement_index statement "
      "TYPE set(256) GRANULARITY 4"};
  if (!server.has_projections()) return statements;
  // Only the places of the rows, in another order. Merges remove rows, and build them anew.
  statements.emplace_back(
      "ALTER TABLE records MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild'");
  statements.emplace_back(
      "ALTER TABLE records ADD PROJECTION IF NOT EXISTS by_activity "
      "(SELECT _part_offset ORDER BY activity, time)");
  statements.emplace_back(
      "ALTER TABLE records ADD PROJECTION IF NOT EXISTS by_name "
      "(SELECT _part_offset ORDER BY name, time)");
  return statements;
}

}  // namespace ringside::fleet
