#pragma once
// The stream and the bucket of a fleet (README.md, "Subjects, streams, buckets").

#include <cstdint>
#include <string>

#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

struct FleetStreamOptions {
  std::int64_t max_age_s = 7L * 24 * 3600;  // of messages; 0: unlimited
  std::int64_t max_bytes = -1;              // of the stream; -1: unlimited
  std::int64_t duplicate_window_s = 120;    // at most max_age_s
  // Dictionaries have no age limit: old ones are needed by new messages. -1: unlimited.
  std::int64_t max_dictionary_bytes = -1;
  std::int64_t max_dead_age_s = 30L * 24 * 3600;  // of dead letters; 0: unlimited
  std::int64_t max_dead_bytes = std::int64_t{1} << 30;
  int replicas = 1;  // servers of the cluster that store each message
};

// Creates the streams and the bucket, or updates those that exist; settings that are not options
// remain. False with `*why` if the server refuses, or if what exists cannot be changed as needed.
bool prepare_fleet_streams(NatsConnection& connection, const FleetStreamOptions& options,
                           std::string* why);

}  // namespace ringside::fleet
