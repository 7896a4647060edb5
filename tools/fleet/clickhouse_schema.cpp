#include "tools/fleet/clickhouse_schema.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/clickhouse_views.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint32_t kLatest = 3;

// Only additions: nothing is removed, so that the highest version applies.
constexpr const char* kVersions =
    "CREATE TABLE IF NOT EXISTS schema_versions (version UInt32, at DateTime DEFAULT now()) "
    "ENGINE = MergeTree ORDER BY version";
constexpr const char* kVersion = "SELECT max(version) FROM schema_versions";

constexpr std::pair<const char*, const char*> kTimes[] = {
    {"records", "toDateTime(time)"},
    {"losses", "toDateTime(time)"},
    {"extents", "toDateTime(time)"},
    {"statement_minutes", "minute"},
};

bool parse_version(const std::string& text, std::uint32_t& version) {
  return std::from_chars(text.data(), text.data() + text.size(), version).ec == std::errc();
}

// Rows that are older than this are removed: by the server when it merges, or, if it cannot do
// that, by this command.
bool apply_retention(ClickHouseClient& client, const ClickHouseServer& server, int days,
                     std::string* why) {
  const auto run = [&client, why](const std::string& sql, std::string* result = nullptr) {
    ClickHouseAnswer answer = client.query(sql);
    if (!answer.is_ok()) *why = "cannot set how long rows are kept: " + answer.why;
    if (result != nullptr) *result = std::move(answer.body);
    return answer.is_ok();
  };
  for (const auto& [table, time] : kTimes) {
    if (server.dialect == ClickHouseDialect::kOld) {
      if (days == 0) continue;
      if (!run(fmt::format("ALTER TABLE {} DELETE WHERE {} < now() - {}", table, time,
                           std::int64_t{days} * 86'400)))
        return false;
      continue;
    }
    std::string definition;
    if (!run(fmt::format("SELECT engine_full FROM system.tables WHERE database = "
                         "currentDatabase() AND name = '{}'",
                         table),
             &definition))
      return false;
    const bool has_limit = definition.find(" TTL ") != std::string::npos;
    const bool is_same =
        days == 0 ? !has_limit
                  : definition.find(fmt::format("toIntervalDay({})", days)) != std::string::npos;
    if (is_same) continue;
    const std::string change =
        days == 0 ? "REMOVE TTL" : fmt::format("MODIFY TTL {} + toIntervalDay({})", time, days);
    if (!run(fmt::format("ALTER TABLE {} {}", table, change))) return false;
  }
  return true;
}

}  // namespace

std::uint32_t latest_schema() {
  return kLatest;
}

std::vector<SchemaStep> schema_steps(const ClickHouseServer& server) {
  SchemaStep tables{.version = 1, .statements = {}};
  for (const ClickHouseTable table : kClickHouseTables)
    tables.statements.push_back(create_table(table, server.dialect, server.deduplicates()));
  for (std::string& view : loss_views()) tables.statements.push_back(std::move(view));
  return {std::move(tables), {2, statement_minutes(server)}, {kLatest, lookup_indexes(server)}};
}

bool prepare_schema(ClickHouseClient& client, const std::string& database,
                    const SchemaOptions& options, std::string* why) {
  ClickHouseServer server;
  ClickHouseAnswer answer = examine_server(client, server);
  if (answer.is_ok()) answer = client.query("CREATE DATABASE IF NOT EXISTS " + database, false);
  if (answer.is_ok()) answer = client.query(kVersions);
  if (answer.is_ok()) answer = client.query(kVersion);
  if (!answer.is_ok()) {
    *why = answer.why;
    return false;
  }
  std::uint32_t version = 0;
  if (!parse_version(answer.body, version)) {
    *why =
        fmt::format("the table {}.schema_versions has no version; name another database", database);
    return false;
  }
  if (version > kLatest) {
    *why = fmt::format(
        "the database '{}' has schema {}, and this program knows {}; use a newer "
        "ringsink",
        database, version, kLatest);
    return false;
  }
  for (const SchemaStep& step : schema_steps(server)) {
    if (step.version <= version || (options.version != 0 && step.version > options.version))
      continue;
    for (const std::string& statement : step.statements) {
      answer = client.query(statement);
      if (answer.is_ok()) continue;
      *why = fmt::format("cannot bring the database '{}' to schema {}: {}; check the user's rights",
                         database, step.version, answer.why);
      return false;
    }
    answer = client.query(
        fmt::format("INSERT INTO schema_versions (version) VALUES ({})", step.version));
    if (!answer.is_ok()) {
      *why = answer.why;
      return false;
    }
  }
  if (options.keep_days < 0 || (options.version != 0 && options.version < 2)) return true;
  return apply_retention(client, server, options.keep_days, why);
}

ClickHouseAnswer check_schema(ClickHouseClient& client) {
  ClickHouseAnswer answer = client.query(kVersion);
  if (!answer.is_ok()) {
    if (answer.status == ClickHouseAnswer::Status::kRefused)
      answer.why += "; create the tables with 'ringsink init'";
    return answer;
  }
  std::uint32_t version = 0;
  if (parse_version(answer.body, version) && version == kLatest) return answer;
  answer.status = ClickHouseAnswer::Status::kRefused;
  answer.why =
      fmt::format("the database has schema {}, and this program needs {}: {}", version, kLatest,
                  version < kLatest ? "run 'ringsink init'" : "use a newer ringsink");
  return answer;
}

}  // namespace ringside::fleet
