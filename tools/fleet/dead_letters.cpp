#include "tools/fleet/dead_letters.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include <fmt/format.h>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/prepare_stream.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::fleet {
namespace {

constexpr std::size_t kMostReasonBytes = 500;
constexpr std::int64_t kHeaderBytes = 16'384;  // more than all headers take

struct DeadLetterDestroyer {
  void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
};

}  // namespace

bool prepare_dead_letters(NatsConnection& connection, const FleetStreamOptions& options,
                          std::string* why) {
  const auto set = [&options](jsStreamConfig& config, bool) {
    constexpr std::int64_t kRepeatedNs = 120 * kStreamSecondNs;
    config.MaxAge = options.max_dead_age_s * kStreamSecondNs;
    config.MaxBytes = options.max_dead_bytes;
    // A server refuses a longer time than the age.
    config.Duplicates = config.MaxAge == 0 ? kRepeatedNs : std::min(kRepeatedNs, config.MaxAge);
    config.Replicas = options.replicas;
  };
  return prepare_stream(connection, kDeadLetterStream, {kDeadLetterSubjects}, set, why);
}

bool store_dead_letter(NatsConnection& connection, const StoredMessage& message,
                       const std::string& reason, std::string* error) {
  // The headers need room besides the payload.
  const std::int64_t room = natsConnection_GetMaxPayload(connection.handle()) - kHeaderBytes;
  const std::size_t bytes =
      std::min(message.payload.size(), static_cast<std::size_t>(std::max<std::int64_t>(room, 0)));
  natsMsg* created = nullptr;
  const std::string subject = dead_letter_subject(message.subject);
  natsStatus status = natsMsg_Create(&created, subject.c_str(), nullptr,
                                     reinterpret_cast<const char*>(message.payload.data()),
                                     static_cast<int>(bytes));
  std::unique_ptr<natsMsg, DeadLetterDestroyer> letter(created);
  const auto set = [&status, &letter](const char* name, const std::string& value) {
    if (status == NATS_OK) status = natsMsgHeader_Set(letter.get(), name, value.c_str());
  };
  // Neither is trusted.
  set("Ringside-Reason", trace::visible(reason.substr(0, kMostReasonBytes)));
  set("Ringside-Subject", message.subject);
  set("Ringside-Sequence", std::to_string(message.number));
  set("Ringside-Bytes", std::to_string(message.payload.size()));
  jsErrCode code{};
  if (status == NATS_OK) {
    // Sinks can refuse the same message several times.
    const std::string id = fmt::format("{} {}", message.subject, message.number);
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MsgId = id.c_str();
    options.ExpectStream = kDeadLetterStream;
    options.MaxWait = connection.request_timeout_ms();
    status = js_PublishMsg(nullptr, connection.jetstream(), letter.get(), &options, &code);
  }
  if (status == NATS_OK) return true;
  *error = fmt::format(
      "cannot store a refused message in the stream {}: {}; it comes again; check that 'ringship "
      "init' has created the stream",
      kDeadLetterStream, nats_reason(status, code));
  return false;
}

}  // namespace ringside::fleet
