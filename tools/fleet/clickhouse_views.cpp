#include "tools/fleet/clickhouse_views.hpp"

#include <fmt/format.h>

namespace ringside::fleet {
namespace {

constexpr const char* kPercentiles = "quantilesTDigest(0.5, 0.9, 0.99)";

// One row for each statement and minute of each extent. The same extent always gives the same rows
// with the same key: what comes again replaces them, and is not counted twice.
std::string minutes_query() {
  return fmt::format(
      "SELECT toStartOfMinute(time) AS minute, tenant, service, host, level, name, file, line, "
      "statement, segment, stream, extent, count() AS records, "
      "sum(length(message) + length(fields)) AS bytes, "
      "{}StateIf(0.5, 0.9, 0.99)(ifNull(duration_ns, toUInt64(0)), isNotNull(duration_ns)) AS "
      "durations, "
      "sum(ifNull(duration_ns, toUInt64(0))) AS duration_sum_ns\n"
      "FROM records{{}}\n"
      "GROUP BY minute, tenant, service, host, level, name, file, line, statement, segment, "
      "stream, extent",
      "quantilesTDigest");
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
  // A gap lies between the end of one range of numbers and the beginning of the next. Ranges are
  // not cut otherwise when they come again, so that no range lies within another.
  constexpr const char* kGaps =
      "CREATE VIEW IF NOT EXISTS gaps AS\n"
      "SELECT toDateTime(intDiv(gap.4, 1000000000), 'UTC') AS time, gap.4 AS time_ns, tenant, "
      "service, host, segment, stream, gap.1 AS sequence, gap.2 AS lost, "
      "if(gap.3 = 0, 'missing', 'not_selected') AS cause\n"
      "FROM\n(\n"
      "    SELECT tenant, service, host, segment, stream, arrayJoin(arrayFilter(g -> g.2 > 0, "
      "arrayMap((before, after, subset, at) -> (before, toUInt64(if(after > before, after - "
      "before, 0)), subset, at), arrayConcat([firsts[1]], arrayPopBack(nexts)), firsts, subsets, "
      "times))) AS gap\n"
      "    FROM\n    (\n"
      "        SELECT tenant, service, host, segment, stream, groupArray(first) AS firsts, "
      "groupArray(next) AS nexts, groupArray(subset) AS subsets, groupArray(time_ns) AS times\n"
      "        FROM (SELECT tenant, service, host, segment, stream, first, next, subset, time_ns "
      "FROM extents FINAL ORDER BY segment, stream, first, next)\n"
      "        GROUP BY tenant, service, host, segment, stream\n"
      "    )\n)";
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
