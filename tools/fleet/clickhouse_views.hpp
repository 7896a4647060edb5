#pragma once
// Definitions of views, indexes and projections in ClickHouse.

#include <string>
#include <vector>

#include "tools/fleet/clickhouse_server.hpp"

namespace ringside::fleet {

// Counts and percentiles for each statement and minute: table, view, and what exists already.
std::vector<std::string> statement_minutes(const ClickHouseServer& server);
// Losses of all kinds: those that were reported, and gaps in the numbers.
std::vector<std::string> loss_views();
// For questions that the sorting key does not answer: activities and statements.
std::vector<std::string> lookup_indexes(const ClickHouseServer& server);

}  // namespace ringside::fleet
