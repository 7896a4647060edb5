#include "tools/fleet/fleet_control.hpp"

#include <fmt/format.h>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

// A flood of requests shall not take the memory of a host.
constexpr int kMostWaitingMessages = 1000;
constexpr int kMostWaitingBytes = 16 << 20;

}  // namespace

std::string trigger_subject(const std::string& tenant, const std::string& origin) {
  return fmt::format("rs.trigger.{}.{}", subject_part(tenant),
                     origin == "*" ? origin : subject_part(origin));
}

std::string control_subject(const std::string& tenant, const std::string& host) {
  return fmt::format("rs.control.{}.{}", subject_part(tenant), subject_part(host));
}

std::unique_ptr<FleetControl> FleetControl::open(NatsConnection& connection,
                                                 const std::vector<std::string>& subjects,
                                                 std::string* why) {
  std::unique_ptr<FleetControl> opened(new FleetControl);
  for (const std::string& subject : subjects) {
    natsSubscription* subscription = nullptr;
    natsStatus status =
        natsConnection_SubscribeSync(&subscription, connection.handle(), subject.c_str());
    if (status == NATS_OK) {
      opened->subscriptions_.push_back(subscription);
      status =
          natsSubscription_SetPendingLimits(subscription, kMostWaitingMessages, kMostWaitingBytes);
    }
    if (status == NATS_OK) continue;
    *why = fmt::format("cannot subscribe to {}: {}; check the permissions of the user", subject,
                       nats_reason(status));
    return nullptr;
  }
  return opened;
}

FleetControl::~FleetControl() {
  for (natsSubscription* const subscription : subscriptions_)
    natsSubscription_Destroy(subscription);
}

std::optional<ControlMessage> FleetControl::next(int timeout_ms) {
  for (std::size_t i = 0; i < subscriptions_.size(); ++i) {
    natsMsg* received = nullptr;
    // Only the last one waits: the others were looked at just before.
    const bool is_last = i + 1 == subscriptions_.size();
    const natsStatus status =
        natsSubscription_NextMsg(&received, subscriptions_[i], is_last ? timeout_ms : 0);
    if (status != NATS_OK || received == nullptr) continue;
    ControlMessage message;
    message.subject = natsMsg_GetSubject(received);
    message.text.assign(natsMsg_GetData(received),
                        static_cast<std::size_t>(natsMsg_GetDataLength(received)));
    if (natsMsg_GetReply(received) != nullptr) message.answer_to = natsMsg_GetReply(received);
    natsMsg_Destroy(received);
    return message;
  }
  return {};
}

bool send_control(NatsConnection& connection, const ControlMessage& message,
                  const std::string& id) {
  natsMsg* created = nullptr;
  natsStatus status =
      natsMsg_Create(&created, message.subject.c_str(),
                     message.answer_to.empty() ? nullptr : message.answer_to.c_str(),
                     message.text.data(), static_cast<int>(message.text.size()));
  if (status == NATS_OK && !id.empty())
    status = natsMsgHeader_Set(created, "Nats-Msg-Id", id.c_str());
  if (status == NATS_OK) status = natsConnection_PublishMsg(connection.handle(), created);
  natsMsg_Destroy(created);
  return status == NATS_OK;
}

}  // namespace ringside::fleet
