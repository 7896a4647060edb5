#include "tools/fleet/clickhouse_tables.hpp"

#include <fmt/format.h>

namespace ringside::fleet {
namespace {

constexpr std::string_view kName = "LowCardinality(String)";
constexpr std::string_view kLevel =
    "Enum8('NONE' = 0, 'TRACE' = 1, 'DEBUG' = 2, 'INFO' = 3, 'NOTICE' = 4, 'WARNING' = 5, "
    "'ERROR' = 6, 'CRITICAL' = 7, 'OFF' = 8)";
constexpr std::string_view kKind =
    "Enum8('unknown' = 0, 'log' = 1, 'event' = 2, 'span' = 3, 'counter' = 4, 'histogram' = 5, "
    "'context' = 6)";

// Most of a row of records is the same in many rows, and costs nothing when it is compressed.
constexpr ClickHouseColumn kRecordColumns[] = {
    {"tenant", kName, "String"},
    {"service", kName, "String"},
    {"host", kName, "String"},
    {"pid", "UInt32"},
    {"thread_id", "UInt32"},
    {"thread", kName, "String"},
    {"segment", "UUID"},
    {"stream", "UInt64"},
    {"sequence", "UInt64"},
    {"extent", "UInt64"},
    {"level", kLevel},
    {"kind", kKind},
    {"statement", "UInt64"},
    {"name", kName, "String"},
    {"file", kName, "String"},
    {"line", "UInt32"},
    {"message", "String"},
    {"fields", "String"},
    {"duration_ns", "Nullable(UInt64)"},
    {"substream", "UInt64"},
    {"activity", "UUID"},
    {"related", "UUID"},
    {"cut", "UInt8"},
};

constexpr ClickHouseColumn kLossColumns[] = {
    {"tenant", kName, "String"}, {"service", kName, "String"},
    {"host", kName, "String"},   {"pid", "UInt32"},
    {"thread_id", "UInt32"},     {"thread", kName, "String"},
    {"segment", "UUID"},         {"stream", "UInt64"},
    {"sequence", "UInt64"},      {"lost", "UInt64"},
    {"cause", kName, "String"},  {"origin", "Enum8('stream' = 1, 'process' = 2, 'statement' = 3)"},
    {"statement", "UInt64"},
};

constexpr ClickHouseColumn kExtentColumns[] = {
    {"tenant", kName, "String"}, {"service", kName, "String"}, {"host", kName, "String"},
    {"segment", "UUID"},         {"stream", "UInt64"},         {"first", "UInt64"},
    {"next", "UInt64"},          {"records", "UInt64"},        {"subset", "UInt8"},
    {"snapshot", "UInt8"},
};

constexpr ClickHouseColumn kStatementColumns[] = {
    {"statement", "UInt64"},       {"kind", kKind},         {"level", kLevel},
    {"category", kName, "String"}, {"name", "String"},      {"keywords", "UInt64"},
    {"file", kName, "String"},     {"line", "UInt32"},      {"function", kName, "String"},
    {"format", "String"},          {"arguments", "String"},
};

struct TableFacts {
  std::string_view name;
  std::string_view sorting_key;  // with {} where the time is
  std::string_view primary_key;  // the part of it that is kept in memory; empty: all
};

// A sender can repeat another one's segment, but not its host and tenant, which the subject has:
// both end the key.
TableFacts facts_of(ClickHouseTable table) {
  switch (table) {
    case ClickHouseTable::kRecords:
      return {"records", "service, {}, segment, stream, sequence, host, tenant",
              "service, {}, segment, stream, sequence"};
    case ClickHouseTable::kLosses:
      return {"losses",
              "service, segment, origin, stream, sequence, cause, statement, host, tenant",
              {}};
    case ClickHouseTable::kExtents:
      return {"extents", "segment, stream, first, next, service, host, tenant, snapshot", {}};
    case ClickHouseTable::kStatements:
      break;
  }
  return {"statements", "statement", {}};
}

}  // namespace

std::string_view table_name(ClickHouseTable table) {
  return facts_of(table).name;
}

std::span<const ClickHouseColumn> columns_of(ClickHouseTable table) {
  switch (table) {
    case ClickHouseTable::kRecords:
      return kRecordColumns;
    case ClickHouseTable::kLosses:
      return kLossColumns;
    case ClickHouseTable::kExtents:
      return kExtentColumns;
    case ClickHouseTable::kStatements:
      break;
  }
  return kStatementColumns;
}

bool has_time(ClickHouseTable table) {
  return table != ClickHouseTable::kStatements;
}

ClickHouseColumn time_column(ClickHouseDialect dialect) {
  if (dialect == ClickHouseDialect::kOld) return {"time_ns", "UInt64"};
  return {"time", "DateTime64(9, 'UTC')"};
}

std::string create_table(ClickHouseTable table, ClickHouseDialect dialect, bool is_deduplicated) {
  const TableFacts facts = facts_of(table);
  const bool is_old = dialect == ClickHouseDialect::kOld;
  std::string sql = fmt::format("CREATE TABLE IF NOT EXISTS {}\n(\n", facts.name);
  // Both columns exist on all servers, so that queries are the same.
  if (has_time(table) && is_old) {
    sql +=
        "    time DateTime('UTC') DEFAULT toDateTime(intDiv(time_ns, 1000000000), 'UTC'),\n"
        "    time_ns UInt64,\n";
  } else if (has_time(table)) {
    sql +=
        "    time DateTime64(9, 'UTC') CODEC(DoubleDelta, LZ4),\n"
        "    time_ns UInt64 ALIAS toUInt64(toUnixTimestamp64Nano(time)),\n";
  }
  const auto columns = columns_of(table);
  for (const ClickHouseColumn& column : columns) {
    sql += fmt::format("    {} {}{}\n", column.name, column.type_in(dialect),
                       &column == &columns.back() ? "" : ",");
  }
  // Rows that come again have the same key. Months, because a server refuses a block of more than
  // 100 partitions.
  sql += ")\nENGINE = ReplacingMergeTree\n";
  if (has_time(table)) sql += "PARTITION BY toYYYYMM(time)\n";
  const std::string_view time = is_old ? "time_ns" : "time";
  sql += fmt::format("ORDER BY ({})", fmt::format(fmt::runtime(facts.sorting_key), time));
  if (!is_old && !facts.primary_key.empty()) {
    sql += fmt::format("\nPRIMARY KEY ({})", fmt::format(fmt::runtime(facts.primary_key), time));
  }
  if (is_deduplicated) sql += "\nSETTINGS non_replicated_deduplication_window = 1000";
  return sql;
}

}  // namespace ringside::fleet
