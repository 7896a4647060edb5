#include "tools/fleet/status_stream.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "tools/fleet/host_status.hpp"
#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

// A host without a status for this time is no longer shown.
constexpr std::int64_t kStatusAgeNs = 7LL * 24 * 3600 * 1'000'000'000;
constexpr std::int64_t kStatusWindowNs = 120LL * 1'000'000'000;

}  // namespace

bool prepare_status_stream(NatsConnection& connection, int replicas, std::string* why) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {kStatusSubjects};
  config.Name = kStatusStream;
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  config.Retention = js_LimitsPolicy;
  config.Discard = js_DiscardOld;
  config.MaxMsgsPerSubject = 1;
  config.MaxAge = kStatusAgeNs;
  config.MaxMsgSize = static_cast<std::int32_t>(kMostStatusBytes);
  config.Duplicates = kStatusWindowNs;
  config.Replicas = replicas;
  jsStreamInfo* existing = nullptr;
  jsErrCode code{};
  natsStatus status =
      js_GetStreamInfo(&existing, connection.jetstream(), kStatusStream, nullptr, nullptr);
  jsStreamInfo_Destroy(existing);
  status = status == NATS_OK
               ? js_UpdateStream(nullptr, connection.jetstream(), &config, nullptr, &code)
               : js_AddStream(nullptr, connection.jetstream(), &config, nullptr, &code);
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot create or update the stream {}: {}; check the limits of nats-server and the user's "
      "permission",
      kStatusStream, nats_reason(status, code));
  return false;
}

}  // namespace ringside::fleet
