#pragma once
// The tables of a fleet in ClickHouse (README.md, "Tables"): one list of columns for their
// definition and for the rows.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::fleet {

// kOld: without DateTime64 and LowCardinality, as version 18.16.
enum class ClickHouseDialect : std::uint8_t { kCurrent, kOld };

struct ClickHouseColumn {
  std::string_view name;
  std::string_view type;
  std::string_view old_type = {};  // if it is another one

  std::string_view type_in(ClickHouseDialect dialect) const {
    return dialect == ClickHouseDialect::kOld && !old_type.empty() ? old_type : type;
  }
};

// What is inserted. Each table but `statements` has a time besides, as "time" or as "time_ns".
enum class ClickHouseTable : std::uint8_t { kRecords, kLosses, kExtents, kStatements };
inline constexpr ClickHouseTable kClickHouseTables[] = {
    ClickHouseTable::kRecords, ClickHouseTable::kLosses, ClickHouseTable::kExtents,
    ClickHouseTable::kStatements};

std::string_view table_name(ClickHouseTable table);
std::span<const ClickHouseColumn> columns_of(ClickHouseTable table);
bool has_time(ClickHouseTable table);
// The column that a time is inserted into.
ClickHouseColumn time_column(ClickHouseDialect dialect);

// CREATE TABLE IF NOT EXISTS. `is_deduplicated`: the server drops blocks that it has.
std::string create_table(ClickHouseTable table, ClickHouseDialect dialect, bool is_deduplicated);

}  // namespace ringside::fleet
