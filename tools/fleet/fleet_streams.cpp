#include "tools/fleet/fleet_streams.hpp"

#include <fmt/format.h>

#include "tools/fleet/dead_letters.hpp"
#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/notice_stream.hpp"
#include "tools/fleet/prepare_stream.hpp"

namespace ringside::fleet {
namespace {

bool prepare_extents(NatsConnection& connection, const FleetStreamOptions& options,
                     std::string* why) {
  const auto set = [&options](jsStreamConfig& config, bool) {
    config.MaxAge = options.max_age_s * kStreamSecondNs;
    config.MaxBytes = options.max_bytes;
    config.Duplicates = options.duplicate_window_s * kStreamSecondNs;
    config.Replicas = options.replicas;
  };
  return prepare_stream(connection, kExtentStream, {kExtentSubjects, kBodySubjects}, set, why);
}

bool create_dictionaries(NatsConnection& connection, const FleetStreamOptions& options,
                         std::string* why) {
  kvConfig config;
  kvConfig_Init(&config);
  config.Bucket = kDictionaryBucket;
  config.History = 1;
  config.StorageType = js_FileStorage;
  config.MaxBytes = options.max_dictionary_bytes;
  config.Replicas = options.replicas;
  kvStore* created = nullptr;
  const natsStatus status = js_CreateKeyValue(&created, connection.jetstream(), &config);
  kvStore_Destroy(created);
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot create the bucket {}: {}; check the options and the limits of nats-server",
      kDictionaryBucket, nats_reason(status));
  return false;
}

bool prepare_dictionaries(NatsConnection& connection, const FleetStreamOptions& options,
                          std::string* why) {
  const auto set = [&options](jsStreamConfig& config, bool) {
    config.MaxBytes = options.max_dictionary_bytes;
    config.Replicas = options.replicas;
    config.MaxAge = 0;
  };
  const StreamUpdate update = update_stream(connection, kDictionaryStream, {}, set, why);
  if (update == StreamUpdate::kMissing) return create_dictionaries(connection, options, why);
  return update == StreamUpdate::kDone;
}

}  // namespace

bool prepare_fleet_streams(NatsConnection& connection, const FleetStreamOptions& options,
                           std::string* why) {
  return prepare_extents(connection, options, why) &&
         prepare_dictionaries(connection, options, why) &&
         prepare_dead_letters(connection, options, why) &&
         prepare_notice_stream(connection, kTriggerStream, options.replicas, why) &&
         prepare_notice_stream(connection, kLossStream, options.replicas, why) &&
         prepare_notice_stream(connection, kStatusStream, options.replicas, why);
}

}  // namespace ringside::fleet
