#include "tools/fleet/status_watch.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/notice_stream.hpp"
#include "tools/fleet/subject_part.hpp"

namespace ringside::fleet {

std::unique_ptr<StatusWatch> StatusWatch::open(NatsConnection& connection,
                                               const std::string& tenant, const std::string& host,
                                               std::string* why) {
  OrderedOptions options;
  options.stream = kStatusStream.name;
  options.filter =
      fmt::format("rs.status.{}.{}", subject_part(tenant), host.empty() ? "*" : subject_part(host));
  std::unique_ptr<StatusWatch> opened(new StatusWatch(connection));
  opened->queue_ = NatsOrderedQueue::open(connection, options, why);
  return opened->queue_ == nullptr ? nullptr : std::move(opened);
}

void StatusWatch::step(int timeout_ms) {
  while (const auto delivery = queue_->next(timeout_ms)) {
    timeout_ms = 0;
    const StoredMessage& message = delivery->message;
    HostStatus status;
    const std::string_view text(reinterpret_cast<const char*>(message.payload.data()),
                                message.payload.size());
    if (read_status_subject(message.subject, status) && read_host_status(text, status)) {
      hosts_[message.subject] = std::move(status);
      invalid_.erase(message.subject);
    } else {
      invalid_.insert(message.subject);
    }
    if (queue_->is_complete()) return;
  }
}

bool StatusWatch::state(FleetStatus& status, std::string* why) {
  status = {};
  status.invalid = invalid_.size();
  for (const auto& [subject, host] : hosts_) status.hosts.push_back(host);
  jsStreamInfo* stream = nullptr;
  jsErrCode code{};
  natsStatus result =
      js_GetStreamInfo(&stream, connection_.jetstream(), kExtentStream, nullptr, &code);
  if (result == NATS_OK) {
    status.stored_messages = stream->State.Msgs;
    status.stored_bytes = stream->State.Bytes;
    jsStreamInfo_Destroy(stream);
    jsConsumerInfoList* consumers = nullptr;
    result = js_Consumers(&consumers, connection_.jetstream(), kExtentStream, nullptr, &code);
    for (int i = 0; result == NATS_OK && i < consumers->Count; ++i) {
      const jsConsumerInfo& consumer = *consumers->List[i];
      // Readers of ringcat are not sinks.
      if (consumer.Config == nullptr || consumer.Config->Durable == nullptr) continue;
      status.sinks.push_back(
          {consumer.Name, consumer.NumPending,
           static_cast<std::uint64_t>(std::max<std::int64_t>(consumer.NumAckPending, 0))});
    }
    jsConsumerInfoList_Destroy(consumers);
  }
  std::sort(status.sinks.begin(), status.sinks.end(),
            [](const SinkStatus& a, const SinkStatus& b) { return a.name < b.name; });
  if (result == NATS_OK || result == NATS_NOT_FOUND) return true;
  *why = fmt::format("cannot ask for the state of the stream {}: {}; check the connection",
                     kExtentStream, nats_reason(result, code));
  return false;
}

}  // namespace ringside::fleet
