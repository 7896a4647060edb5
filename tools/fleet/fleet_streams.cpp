#include "tools/fleet/fleet_streams.hpp"

#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "tools/fleet/dead_letters.hpp"
#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/notice_stream.hpp"
#include "tools/fleet/status_stream.hpp"

namespace ringside::fleet {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

struct StreamInfoDestroyer {
  void operator()(jsStreamInfo* info) const { jsStreamInfo_Destroy(info); }
};
using StreamInfo = std::unique_ptr<jsStreamInfo, StreamInfoDestroyer>;

enum class Existence : std::uint8_t { kExists, kMissing, kUnknown };

Existence look_up(NatsConnection& connection, const char* name, StreamInfo& info,
                  std::string* why) {
  jsStreamInfo* received = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetStreamInfo(&received, connection.jetstream(), name, nullptr, &code);
  info.reset(received);
  if (status == NATS_OK) return Existence::kExists;
  if (status == NATS_NOT_FOUND) return Existence::kMissing;
  *why = fmt::format("cannot look up the stream {}: {}; check that nats-server runs with JetStream",
                     name, nats_reason(status, code));
  return Existence::kUnknown;
}

bool refuse(const char* name, const char* difference, std::string* why) {
  *why = fmt::format(
      "the stream {} exists with {}, which cannot be changed; move its messages elsewhere and "
      "delete it with 'nats stream rm {}'",
      name, difference, name);
  return false;
}

// What a server does not change in a stream that exists.
bool is_usable(const jsStreamConfig& existing, std::string* why) {
  const char* const name = existing.Name;
  if (existing.Storage != js_FileStorage) return refuse(name, "storage in memory", why);
  if (existing.Retention != js_LimitsPolicy) {
    return refuse(name, "a retention policy other than limits", why);
  }
  if (existing.Mirror != nullptr) return refuse(name, "a stream that it mirrors", why);
  if (existing.Sealed) return refuse(name, "the state sealed", why);
  if (existing.NoAck) return refuse(name, "acknowledgements disabled", why);
  return true;
}

bool update(NatsConnection& connection, jsStreamConfig& config, std::string* why) {
  jsErrCode code{};
  const natsStatus status =
      js_UpdateStream(nullptr, connection.jetstream(), &config, nullptr, &code);
  if (status == NATS_OK) return true;
  *why = fmt::format("cannot update the stream {}: {}; check the options and the user's permission",
                     config.Name, nats_reason(status, code));
  return false;
}

bool has_subjects(const jsStreamConfig& config) {
  return config.SubjectsLen == 2 && std::strcmp(config.Subjects[0], kExtentSubjects) == 0 &&
         std::strcmp(config.Subjects[1], kBodySubjects) == 0;
}

bool update_extents(NatsConnection& connection, const jsStreamConfig& existing,
                    const FleetStreamOptions& options, std::string* why) {
  if (!is_usable(existing, why)) return false;
  jsStreamConfig wanted = existing;
  const char* subjects[] = {kExtentSubjects, kBodySubjects};
  wanted.Subjects = subjects;
  wanted.SubjectsLen = 2;
  wanted.MaxAge = options.max_age_s * kNanosecondsPerSecond;
  wanted.MaxBytes = options.max_bytes;
  wanted.Duplicates = options.duplicate_window_s * kNanosecondsPerSecond;
  wanted.Replicas = options.replicas;
  const bool is_same = has_subjects(existing) && wanted.MaxAge == existing.MaxAge &&
                       wanted.MaxBytes == existing.MaxBytes &&
                       wanted.Duplicates == existing.Duplicates &&
                       wanted.Replicas == existing.Replicas;
  return is_same || update(connection, wanted, why);
}

bool create_extents(NatsConnection& connection, const FleetStreamOptions& options,
                    std::string* why) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {kExtentSubjects, kBodySubjects};
  config.Name = kExtentStream;
  config.Subjects = subjects;
  config.SubjectsLen = 2;
  config.Storage = js_FileStorage;
  config.Retention = js_LimitsPolicy;
  config.Discard = js_DiscardOld;
  config.MaxAge = options.max_age_s * kNanosecondsPerSecond;
  config.MaxBytes = options.max_bytes;
  config.Duplicates = options.duplicate_window_s * kNanosecondsPerSecond;
  config.Replicas = options.replicas;
  jsErrCode code{};
  const natsStatus status = js_AddStream(nullptr, connection.jetstream(), &config, nullptr, &code);
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot create the stream {}: {}; check the options and the limits of nats-server",
      kExtentStream, nats_reason(status, code));
  return false;
}

bool prepare_extents(NatsConnection& connection, const FleetStreamOptions& options,
                     std::string* why) {
  StreamInfo info;
  const Existence existence = look_up(connection, kExtentStream, info, why);
  if (existence == Existence::kUnknown) return false;
  if (existence == Existence::kExists) {
    return update_extents(connection, *info->Config, options, why);
  }
  if (create_extents(connection, options, why)) return true;
  // Another process can have created it meanwhile.
  std::string ignored;
  return look_up(connection, kExtentStream, info, &ignored) == Existence::kExists &&
         update_extents(connection, *info->Config, options, why);
}

bool update_dictionaries(NatsConnection& connection, const jsStreamConfig& existing,
                         const FleetStreamOptions& options, std::string* why) {
  if (!is_usable(existing, why)) return false;
  jsStreamConfig wanted = existing;
  wanted.MaxBytes = options.max_dictionary_bytes;
  wanted.Replicas = options.replicas;
  wanted.MaxAge = 0;
  const bool is_same = wanted.MaxBytes == existing.MaxBytes &&
                       wanted.Replicas == existing.Replicas && wanted.MaxAge == existing.MaxAge;
  return is_same || update(connection, wanted, why);
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
  StreamInfo info;
  const Existence existence = look_up(connection, kDictionaryStream, info, why);
  if (existence == Existence::kUnknown) return false;
  if (existence == Existence::kMissing) return create_dictionaries(connection, options, why);
  return update_dictionaries(connection, *info->Config, options, why);
}

}  // namespace

bool prepare_fleet_streams(NatsConnection& connection, const FleetStreamOptions& options,
                           std::string* why) {
  return prepare_extents(connection, options, why) &&
         prepare_dictionaries(connection, options, why) &&
         prepare_dead_letters(connection, options, why) &&
         prepare_notice_stream(connection, kTriggerStream, options.replicas, why) &&
         prepare_notice_stream(connection, kLossStream, options.replicas, why) &&
         prepare_status_stream(connection, options.replicas, why);
}

}  // namespace ringside::fleet
