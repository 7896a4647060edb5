#include "tools/fleet/nats_delivery_queue.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/dead_letters.hpp"
#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/fleet_control.hpp"
#include "tools/fleet/host_requests.hpp"
#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kDeliveryCheckInterval{2};
constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;

bool create_consumer(NatsConnection& connection, const DeliveryOptions& options, std::string* why) {
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = options.consumer.c_str();
  config.FilterSubject = options.filter.c_str();
  config.DeliverPolicy = js_DeliverAll;
  config.AckPolicy = js_AckExplicit;
  config.AckWait = options.ack_wait_ms * kNanosecondsPerMillisecond;
  config.MaxAckPending = options.most_unacknowledged;
  jsErrCode code{};
  const natsStatus status =
      js_AddConsumer(nullptr, connection.jetstream(), kExtentStream, &config, nullptr, &code);
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot create the consumer '{}' of the stream {}: {}; check that the stream exists, that "
      "the user has the permission, and that no other use has this name",
      options.consumer, kExtentStream, nats_reason(status, code));
  return false;
}

}  // namespace

std::unique_ptr<NatsDeliveryQueue> NatsDeliveryQueue::open(NatsConnection& connection,
                                                           const DeliveryOptions& options,
                                                           std::string* why) {
  if (options.consumer.empty()) {
    *why = "missing name of the consumer: messages are remembered under it; name it";
    return nullptr;
  }
  std::unique_ptr<NatsDeliveryQueue> opened(new NatsDeliveryQueue(connection, options));
  return opened->begin(why) ? std::move(opened) : nullptr;
}

bool NatsDeliveryQueue::begin(std::string* why) {
  std::uint64_t last = 0;
  return look_up_stream(kExtentStream, &last, why) &&
         create_consumer(connection(), options_, why) && subscribe(why);
}

// A stream that is removed takes its consumers with it.
bool NatsDeliveryQueue::has_consumer() {
  next_check_ = Clock::now() + kDeliveryCheckInterval;
  jsConsumerInfo* info = nullptr;
  const natsStatus status = js_GetConsumerInfo(&info, connection().jetstream(), kExtentStream,
                                               options_.consumer.c_str(), nullptr, nullptr);
  jsConsumerInfo_Destroy(info);
  return status != NATS_NOT_FOUND;
}

void NatsDeliveryQueue::unsubscribe() {
  natsSubscription_Destroy(std::exchange(subscription_, nullptr));
  // A consumer that is created anew would take an answer to the one before for its own.
  answer_subjects_.clear();
}

// Binds to the consumer that exists: one that the subscription creates would be removed with it.
bool NatsDeliveryQueue::subscribe(std::string* why) {
  jsSubOptions binding;
  jsSubOptions_Init(&binding);
  binding.Stream = kExtentStream;
  binding.Consumer = options_.consumer.c_str();
  jsErrCode code{};
  natsStatus status = js_PullSubscribe(&subscription_, connection().jetstream(),
                                       options_.filter.c_str(), nullptr, nullptr, &binding, &code);
  // The number of messages is bounded by what is requested.
  if (status == NATS_OK) status = natsSubscription_SetPendingLimits(subscription_, -1, -1);
  if (status == NATS_OK) return true;
  *why = fmt::format("cannot use the consumer '{}' of the stream {}: {}; check the permissions",
                     options_.consumer, kExtentStream, nats_reason(status, code));
  return false;
}

NatsDeliveryQueue::~NatsDeliveryQueue() {
  unsubscribe();
}

void NatsDeliveryQueue::fetch(int timeout_ms) {
  if (subscription_ == nullptr && !begin(&why_)) {
    unsubscribe();
    return pause(timeout_ms);
  }
  const auto take = [this](natsMsg* message) {
    const char* const answer_subject = natsMsg_GetReply(message);
    jsMsgMetaData* origin = nullptr;
    if (answer_subject == nullptr || natsMsg_GetMetaData(&origin, message) != NATS_OK) return true;
    answer_subjects_[++last_token_] = answer_subject;
    add(last_token_, origin->Sequence.Stream, message);
    jsMsgMetaData_Destroy(origin);
    return true;
  };
  const Pulled pulled =
      pull(subscription_, options_.batch, timeout_ms, take,
           fmt::format("the consumer '{}' of the stream {}", options_.consumer, kExtentStream));
  if (pulled == Pulled::kYes) return;
  // The server does not answer requests to a consumer that it does not have.
  const bool checks = pulled == Pulled::kFailed || Clock::now() >= next_check_;
  if (checks && !has_consumer()) unsubscribe();
}

void NatsDeliveryQueue::acknowledge(std::uint64_t token) {
  answer(token, "+ACK");
}

void NatsDeliveryQueue::postpone(std::uint64_t token) {
  answer(token,
         fmt::format("-NAK {{\"delay\": {}}}", options_.postpone_ms * kNanosecondsPerMillisecond));
}

// Published as text, as natsMsg_Ack() does: that would need the whole message until then.
void NatsDeliveryQueue::answer(std::uint64_t token, const std::string& text) {
  const auto found = answer_subjects_.find(token);
  if (found == answer_subjects_.end()) return;
  natsConnection_PublishString(connection().handle(), found->second.c_str(), text.c_str());
  answer_subjects_.erase(found);
}

void NatsDeliveryQueue::request_contents(const std::string& subject, const std::string& key) {
  const auto publisher = publisher_of(subject);
  if (!publisher) return;
  send_control(
      connection(),
      {control_subject(publisher->tenant, publisher->host), write_host_request({{key}}), {}}, {});
}

bool NatsDeliveryQueue::store_dead_letter(const StoredMessage& message, const std::string& reason) {
  return fleet::store_dead_letter(connection(), message, reason, &why_);
}

DeliveryQueue::Fetched NatsDeliveryQueue::fetch_message(std::uint64_t number,
                                                        StoredMessage& message) {
  // Otherwise the request would wait for a connection, until its timeout.
  if (!connection().is_connected()) {
    why_ = connection().state();
    return Fetched::kUnknown;
  }
  natsMsg* received = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetMsg(&received, connection().jetstream(), kExtentStream, number, nullptr, &code);
  if (code == JSNoMessageFoundErr) return Fetched::kMissing;
  if (status != NATS_OK) {
    why_ = fmt::format("cannot fetch the message {}: {}; check the connection", number,
                       nats_reason(status, code));
    return Fetched::kUnknown;
  }
  message = stored_message(number, received);
  natsMsg_Destroy(received);
  return Fetched::kYes;
}

}  // namespace ringside::fleet
