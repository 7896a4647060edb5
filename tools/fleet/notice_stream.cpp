#include "tools/fleet/notice_stream.hpp"

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

constexpr std::int64_t kNoticeAgeUnit = 1'000'000'000;
constexpr std::int64_t kNoticeWindowS = 120;

}  // namespace

bool prepare_notice_stream(NatsConnection& connection, const NoticeStream& stream, int replicas,
                           std::string* why) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {stream.subjects};
  config.Name = stream.name;
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  config.Retention = js_LimitsPolicy;
  config.Discard = js_DiscardOld;
  config.MaxAge = stream.max_age_s * kNoticeAgeUnit;
  config.MaxBytes = stream.max_bytes;
  config.MaxMsgsPerSubject = stream.messages_per_subject;
  config.MaxMsgSize = stream.max_message_bytes;
  config.Duplicates = kNoticeWindowS * kNoticeAgeUnit;
  config.Replicas = replicas;
  jsErrCode code{};
  jsStreamInfo* existing = nullptr;
  natsStatus status =
      js_GetStreamInfo(&existing, connection.jetstream(), stream.name, nullptr, &code);
  jsStreamInfo_Destroy(existing);
  if (status == NATS_OK) {
    status = js_UpdateStream(nullptr, connection.jetstream(), &config, nullptr, &code);
  } else if (status == NATS_NOT_FOUND) {
    status = js_AddStream(nullptr, connection.jetstream(), &config, nullptr, &code);
  }
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot create or update the stream {}: {}; check the limits of nats-server and the user's "
      "permission",
      stream.name, nats_reason(status, code));
  return false;
}

}  // namespace ringside::fleet
