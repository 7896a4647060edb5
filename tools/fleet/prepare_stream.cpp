#include "tools/fleet/prepare_stream.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

struct StreamInfoDestroyer {
  void operator()(jsStreamInfo* info) const { jsStreamInfo_Destroy(info); }
};

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

void set_subjects(jsStreamConfig& config, StreamSubjects& subjects) {
  if (subjects.empty()) return;
  config.Subjects = subjects.data();
  config.SubjectsLen = static_cast<int>(subjects.size());
}

bool is_same(const jsStreamConfig& one, const jsStreamConfig& other) {
  return one.MaxAge == other.MaxAge && one.MaxBytes == other.MaxBytes &&
         one.MaxMsgsPerSubject == other.MaxMsgsPerSubject && one.MaxMsgSize == other.MaxMsgSize &&
         one.Duplicates == other.Duplicates && one.Replicas == other.Replicas &&
         std::equal(one.Subjects, one.Subjects + one.SubjectsLen, other.Subjects,
                    other.Subjects + other.SubjectsLen,
                    [](const char* a, const char* b) { return std::strcmp(a, b) == 0; });
}

bool create_stream(NatsConnection& connection, const char* name, StreamSubjects subjects,
                   const SetStreamConfig& set, std::string* why) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = name;
  config.Storage = js_FileStorage;
  config.Retention = js_LimitsPolicy;
  config.Discard = js_DiscardOld;
  set_subjects(config, subjects);
  set(config, true);
  jsErrCode code{};
  const natsStatus status = js_AddStream(nullptr, connection.jetstream(), &config, nullptr, &code);
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot create the stream {}: {}; check the options, the limits of nats-server and the "
      "user's permission",
      name, nats_reason(status, code));
  return false;
}

}  // namespace

StreamUpdate update_stream(NatsConnection& connection, const char* name,
                           const StreamSubjects& subjects, const SetStreamConfig& set,
                           std::string* why) {
  jsStreamInfo* received = nullptr;
  jsErrCode code{};
  natsStatus status = js_GetStreamInfo(&received, connection.jetstream(), name, nullptr, &code);
  const std::unique_ptr<jsStreamInfo, StreamInfoDestroyer> info(received);
  if (status == NATS_NOT_FOUND) return StreamUpdate::kMissing;
  if (status != NATS_OK) {
    *why =
        fmt::format("cannot look up the stream {}: {}; check that nats-server runs with JetStream",
                    name, nats_reason(status, code));
    return StreamUpdate::kFailed;
  }
  if (!is_usable(*info->Config, why)) return StreamUpdate::kFailed;
  jsStreamConfig wanted = *info->Config;
  StreamSubjects wanted_subjects = subjects;
  set_subjects(wanted, wanted_subjects);
  set(wanted, false);
  if (is_same(wanted, *info->Config)) return StreamUpdate::kDone;
  status = js_UpdateStream(nullptr, connection.jetstream(), &wanted, nullptr, &code);
  if (status == NATS_OK) return StreamUpdate::kDone;
  *why = fmt::format("cannot update the stream {}: {}; check the options and the user's permission",
                     name, nats_reason(status, code));
  return StreamUpdate::kFailed;
}

bool prepare_stream(NatsConnection& connection, const char* name, const StreamSubjects& subjects,
                    const SetStreamConfig& set, std::string* why) {
  const StreamUpdate update = update_stream(connection, name, subjects, set, why);
  if (update != StreamUpdate::kMissing) return update == StreamUpdate::kDone;
  if (create_stream(connection, name, subjects, set, why)) return true;
  // Another process can have created it meanwhile.
  std::string ignored;
  return update_stream(connection, name, subjects, set, &ignored) == StreamUpdate::kDone;
}

}  // namespace ringside::fleet
