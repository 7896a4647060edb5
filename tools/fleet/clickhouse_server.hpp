#pragma once
// What a ClickHouse server can do.

#include <set>
#include <string>
#include <string_view>

#include "tools/fleet/clickhouse_client.hpp"
#include "tools/fleet/clickhouse_tables.hpp"

namespace ringside::fleet {

struct ClickHouseServer {
  std::string version;
  ClickHouseDialect dialect = ClickHouseDialect::kOld;
  std::set<std::string, std::less<>> settings;  // of those that are used here

  bool has(std::string_view setting) const { return settings.contains(setting); }
  // Whether it drops blocks that come again, in tables and in their materialised views.
  bool deduplicates() const;
  // Whether projections can have the places of rows alone, in tables whose merges remove rows.
  bool has_projections() const {
    return has("deduplicate_merge_projection_mode") &&
           has("allow_part_offset_column_in_projections");
  }
};

// kOk, or why the server cannot be asked.
ClickHouseAnswer examine_server(ClickHouseClient& client, ClickHouseServer& server);

}  // namespace ringside::fleet
