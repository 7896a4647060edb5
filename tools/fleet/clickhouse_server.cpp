#include "tools/fleet/clickhouse_server.hpp"

#include <sstream>
#include <utility>

namespace ringside::fleet {
namespace {

// Each line of an answer.
template <class Take>
void for_each_line(const std::string& text, Take&& take) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) take(std::move(line));
}

constexpr const char* kTypes =
    "SELECT name FROM system.data_type_families WHERE name IN ('DateTime64', 'LowCardinality')";
constexpr const char* kSettings =
    "SELECT name FROM system.settings WHERE name IN ('insert_deduplication_token', "
    "'deduplicate_blocks_in_dependent_materialized_views', 'max_partitions_per_insert_block') "
    "UNION ALL "
    "SELECT name FROM system.merge_tree_settings WHERE name IN "
    "('non_replicated_deduplication_window', 'deduplicate_merge_projection_mode', "
    "'allow_part_offset_column_in_projections')";

}  // namespace

bool ClickHouseServer::deduplicates() const {
  return has("insert_deduplication_token") && has("non_replicated_deduplication_window") &&
         has("deduplicate_blocks_in_dependent_materialized_views");
}

ClickHouseAnswer examine_server(ClickHouseClient& client, ClickHouseServer& server) {
  ClickHouseAnswer answer = client.query("SELECT version()", false);
  if (!answer.is_ok()) return answer;
  server.version = answer.body.substr(0, answer.body.find('\n'));
  answer = client.query(kTypes, false);
  if (!answer.is_ok()) return answer;
  std::set<std::string> types;
  for_each_line(answer.body, [&](std::string line) { types.insert(std::move(line)); });
  // LowCardinality exists before DateTime64, but only as an experiment.
  server.dialect =
      types.contains("DateTime64") ? ClickHouseDialect::kCurrent : ClickHouseDialect::kOld;
  answer = client.query(kSettings, false);
  if (!answer.is_ok()) return answer;
  for_each_line(answer.body, [&](std::string line) { server.settings.insert(std::move(line)); });
  return answer;
}

}  // namespace ringside::fleet
