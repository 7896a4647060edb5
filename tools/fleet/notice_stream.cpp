#include "tools/fleet/notice_stream.hpp"

#include "tools/fleet/prepare_stream.hpp"

namespace ringside::fleet {

bool prepare_notice_stream(NatsConnection& connection, const NoticeStream& stream, int replicas,
                           std::string* why) {
  const auto set = [&stream, replicas](jsStreamConfig& config, bool is_new) {
    config.Replicas = replicas;
    if (!is_new) return;
    constexpr std::int64_t kWindowS = 120;
    config.MaxAge = stream.max_age_s * kStreamSecondNs;
    config.MaxBytes = stream.max_bytes;
    config.MaxMsgsPerSubject = stream.messages_per_subject;
    config.MaxMsgSize = stream.max_message_bytes;
    config.Duplicates = kWindowS * kStreamSecondNs;
  };
  return prepare_stream(connection, stream.name, {stream.subjects}, set, why);
}

}  // namespace ringside::fleet
