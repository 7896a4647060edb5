#include "tools/fleet/nats_delivery_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/dead_letters.hpp"
#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/fleet_control.hpp"
#include "tools/fleet/host_requests.hpp"
#include "tools/fleet/message_bodies.hpp"
#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

using Clock = std::chrono::steady_clock;

// A server that restarts forgets requests: one that it does not know must end soon.
constexpr int kLongestRequestMs = 2000;
constexpr std::chrono::seconds kConsumerCheckInterval{2};
constexpr int kRetryPauseMs = 100;  // after a failure
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
  jsStreamInfo* stream = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetStreamInfo(&stream, connection_.jetstream(), kExtentStream, nullptr, &code);
  if (status != NATS_OK) {
    *why = fmt::format("cannot look up the stream {}: {}; create it with 'ringship init'",
                       kExtentStream, nats_reason(status, code));
    return false;
  }
  created_ns_ = static_cast<std::uint64_t>(stream->Created);
  jsStreamInfo_Destroy(stream);
  return create_consumer(connection_, options_, why) && subscribe(why);
}

// A stream that is removed takes its consumers with it.
bool NatsDeliveryQueue::has_consumer() {
  jsConsumerInfo* info = nullptr;
  const natsStatus status = js_GetConsumerInfo(&info, connection_.jetstream(), kExtentStream,
                                               options_.consumer.c_str(), nullptr, nullptr);
  jsConsumerInfo_Destroy(info);
  return status != NATS_NOT_FOUND;
}

// Binds to the consumer that exists: one that the subscription creates would be removed with it.
bool NatsDeliveryQueue::subscribe(std::string* why) {
  jsSubOptions binding;
  jsSubOptions_Init(&binding);
  binding.Stream = kExtentStream;
  binding.Consumer = options_.consumer.c_str();
  jsErrCode code{};
  natsStatus status = js_PullSubscribe(&subscription_, connection_.jetstream(),
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

void NatsDeliveryQueue::unsubscribe() {
  natsSubscription_Destroy(std::exchange(subscription_, nullptr));
  // A consumer that is created anew would take an answer to the one before for its own.
  answer_subjects_.clear();
}

std::optional<Delivery> NatsDeliveryQueue::next(int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  why_.clear();
  while (fetched_.empty()) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int rest_ms = static_cast<int>(rest.count());
    if (rest_ms <= 0) return {};
    if (!connection_.wait_until_connected(rest_ms)) {
      why_ = connection_.state();
      return {};
    }
    if (subscription_ == nullptr && !begin(&why_)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(rest_ms, kRetryPauseMs)));
      continue;
    }
    fetch(std::min(rest_ms, kLongestRequestMs));
  }
  Delivery first = std::move(fetched_.front());
  fetched_.pop_front();
  return first;
}

void NatsDeliveryQueue::fetch(int timeout_ms) {
  natsMsgList list{};
  jsErrCode code{};
  const natsStatus status =
      natsSubscription_Fetch(&list, subscription_, options_.batch, timeout_ms, &code);
  if (status == NATS_OK) {
    for (int i = 0; i < list.Count; ++i) take(list.Msgs[i]);
    natsMsgList_Destroy(&list);
    return;
  }
  // The server does not answer requests to a consumer that it does not have.
  const bool is_empty = status == NATS_TIMEOUT || status == NATS_NOT_FOUND;
  if (!is_empty || Clock::now() >= next_check_) {
    next_check_ = Clock::now() + kConsumerCheckInterval;
    if (!has_consumer()) return unsubscribe();
  }
  if (is_empty) return;
  why_ = fmt::format("cannot fetch messages: {}; check the consumer '{}' of the stream {}",
                     nats_reason(status, code), options_.consumer, kExtentStream);
  // Other failures come at once, and again with the next request.
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(timeout_ms, kRetryPauseMs)));
}

void NatsDeliveryQueue::take(natsMsg* message) {
  const char* const answer_subject = natsMsg_GetReply(message);
  jsMsgMetaData* origin = nullptr;
  if (answer_subject == nullptr || natsMsg_GetMetaData(&origin, message) != NATS_OK) return;
  Delivery delivery;
  delivery.token = ++last_token_;
  delivery.message.number = origin->Sequence.Stream;
  delivery.message.queue_created_ns = created_ns_;
  jsMsgMetaData_Destroy(origin);
  delivery.message.subject = natsMsg_GetSubject(message);
  const auto* const begin = reinterpret_cast<const std::byte*>(natsMsg_GetData(message));
  delivery.message.payload.assign(begin, begin + natsMsg_GetDataLength(message));
  answer_subjects_[delivery.token] = answer_subject;
  fetched_.push_back(std::move(delivery));
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
  natsConnection_PublishString(connection_.handle(), found->second.c_str(), text.c_str());
  answer_subjects_.erase(found);
}

void NatsDeliveryQueue::request_contents(const std::string& subject, const std::string& key) {
  const auto publisher = publisher_of(subject);
  if (!publisher) return;
  send_control(
      connection_,
      {control_subject(publisher->tenant, publisher->host), write_host_request({{key}}), {}}, {});
}

bool NatsDeliveryQueue::store_dead_letter(const StoredMessage& message, const std::string& reason) {
  return fleet::store_dead_letter(connection_, message, reason, &why_);
}

DeliveryQueue::Fetched NatsDeliveryQueue::fetch_message(std::uint64_t number,
                                                        StoredMessage& message) {
  // Otherwise the request would wait for a connection, until its timeout.
  if (!connection_.is_connected()) {
    why_ = connection_.state();
    return Fetched::kUnknown;
  }
  natsMsg* received = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetMsg(&received, connection_.jetstream(), kExtentStream, number, nullptr, &code);
  if (code == JSNoMessageFoundErr) return Fetched::kMissing;
  if (status != NATS_OK) {
    why_ = fmt::format("cannot fetch the message {}: {}; check the connection", number,
                       nats_reason(status, code));
    return Fetched::kUnknown;
  }
  message.number = number;
  message.queue_created_ns = created_ns_;
  message.subject = natsMsg_GetSubject(received);
  const auto* const begin = reinterpret_cast<const std::byte*>(natsMsg_GetData(received));
  message.payload.assign(begin, begin + natsMsg_GetDataLength(received));
  natsMsg_Destroy(received);
  return Fetched::kYes;
}

DeliveryQueue::Fetched NatsDeliveryQueue::fetch_contents(std::string_view key, Bytes& contents) {
  return key.starts_with(kBodyKeyPrefix) ? fetch_body(connection_, key, contents, &why_)
                                         : dictionaries_.fetch(key, contents, &why_);
}

}  // namespace ringside::fleet
