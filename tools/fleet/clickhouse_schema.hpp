#pragma once
// The schema of a fleet in ClickHouse: versions, and the steps from one to the next.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/fleet/clickhouse_client.hpp"
#include "tools/fleet/clickhouse_server.hpp"

namespace ringside::fleet {

struct SchemaStep {
  std::uint32_t version = 0;  // of the schema after it
  std::vector<std::string> statements;
};

// All steps, by rising version. Each statement can be executed again.
std::vector<SchemaStep> schema_steps(const ClickHouseServer& server);
std::uint32_t latest_schema();

struct SchemaOptions {
  std::uint32_t version = 0;  // up to this one; 0: the latest
  int keep_days = -1;         // how long rows are kept; 0: without limit, -1: as it is
};

// Creates the database and its tables, or brings them to the version; what is there remains. False
// with `*why`.
bool prepare_schema(ClickHouseClient& client, const std::string& database,
                    const SchemaOptions& options, std::string* why);

// kOk if the database has the latest version.
ClickHouseAnswer check_schema(ClickHouseClient& client);

}  // namespace ringside::fleet
