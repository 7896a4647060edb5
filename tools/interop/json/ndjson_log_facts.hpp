#pragma once
// What the loggers of others call the facts of a log record.

#include <cstdint>
#include <optional>
#include <vector>

#include "shm-layout/level.hpp"
#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool::ndjson {

// Null: the object has no such member. Texts are those of the tree.
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

  // Of the tree's object.
  void look(const JsonTree& tree);
};

// A number in seconds, milliseconds, microseconds or nanoseconds, told apart by its size; or a text
// of RFC 3339. Nothing if it is none, or before 1970 or behind 2262.
std::optional<std::uint64_t> unix_ns_of(const JsonNode& time);

// A text, or one of the numbers of pino and bunyan.
std::optional<shm::Level> log_level_of(const JsonNode& level);

}  // namespace ringside::tool::ndjson
