#pragma once
// The names that other loggers give to the facts of a log record.

#include <cstdint>
#include <optional>
#include <vector>

#include "shm-layout/level.hpp"
#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool::ndjson {

// A null member means that the object does not have it. Texts refer to the tree.
struct LogFacts {
  std::optional<std::uint64_t> unix_ns;
  std::optional<shm::Level> level;
  const JsonNode* message = nullptr;
  const JsonNode* category = nullptr;
  const JsonNode* service = nullptr;
  const JsonNode* host = nullptr;
  const JsonNode* pid = nullptr;
  const JsonNode* thread = nullptr;
  const JsonNode* thread_name = nullptr;
  const JsonNode* duration = nullptr;  // of duration_ns
  std::vector<std::uint32_t> fields;   // indices of all other members

  // Finds the facts in the tree's object.
  void look(const JsonTree& tree);
};

// A number in seconds, milliseconds, microseconds or nanoseconds, distinguished by its size, or a
// text of RFC 3339. Empty if it is neither, or before 1970 or after 2262.
std::optional<std::uint64_t> unix_ns_of(const JsonNode& time);

// A text, or one of the numbers of pino and bunyan.
std::optional<shm::Level> log_level_of(const JsonNode& level);

}  // namespace ringside::tool::ndjson
