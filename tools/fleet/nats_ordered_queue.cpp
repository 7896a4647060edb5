#include "tools/fleet/nats_ordered_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_bodies.hpp"
#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

using Clock = std::chrono::steady_clock;

// A server that restarts forgets requests: one that it does not know must end soon.
constexpr int kLongestFetchMs = 2000;
// A server does not answer requests to a consumer that it has forgotten.
constexpr std::chrono::seconds kCheckInterval{2};
constexpr int kRepeatMs = 100;  // after a failure
// The server removes the consumer of a process that was killed.
constexpr std::int64_t kInactiveNs = 60'000'000'000;

}  // namespace

std::unique_ptr<NatsOrderedQueue> NatsOrderedQueue::open(NatsConnection& connection,
                                                         const OrderedOptions& options,
                                                         std::string* why) {
  std::unique_ptr<NatsOrderedQueue> opened(new NatsOrderedQueue(connection, options));
  return opened->begin(why) ? std::move(opened) : nullptr;
}

bool NatsOrderedQueue::begin(std::string* why) {
  jsStreamInfo* stream = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetStreamInfo(&stream, connection_.jetstream(), options_.stream.c_str(), nullptr, &code);
  if (status == NATS_NOT_FOUND) {
    *why =
        fmt::format("the server has no stream {}; create it with 'ringship init'", options_.stream);
    return false;
  }
  if (status != NATS_OK) {
    *why = fmt::format(
        "cannot look up the stream {}: {}; check that nats-server runs with JetStream, and the "
        "permissions of the user",
        options_.stream, nats_reason(status, code));
    return false;
  }
  last_at_begin_ = stream->State.LastSeq;
  jsStreamInfo_Destroy(stream);
  return create_consumer(why);
}

bool NatsOrderedQueue::create_consumer(std::string* why) {
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.FilterSubject = options_.filter.c_str();
  config.AckPolicy = js_AckNone;
  config.InactiveThreshold = kInactiveNs;
  config.MemoryStorage = true;
  config.Replicas = 1;
  config.Description = "a reader of ringcat; removed by itself";
  if (last_fetched_ != 0) {
    config.DeliverPolicy = js_DeliverByStartSequence;
    config.OptStartSeq = last_fetched_ + 1;
  } else if (options_.begin == OrderedOptions::Begin::kNow) {
    // By number: what is stored before a second attempt belongs to it.
    config.DeliverPolicy = js_DeliverByStartSequence;
    config.OptStartSeq = last_at_begin_ + 1;
  } else if (options_.begin == OrderedOptions::Begin::kTime) {
    config.DeliverPolicy = js_DeliverByStartTime;
    config.OptStartTime = std::max<std::int64_t>(options_.begin_ns, 1);
  } else {
    config.DeliverPolicy = js_DeliverAll;
  }
  jsConsumerInfo* created = nullptr;
  jsErrCode code{};
  natsStatus status = js_AddConsumer(&created, connection_.jetstream(), options_.stream.c_str(),
                                     &config, nullptr, &code);
  if (status == NATS_OK) {
    consumer_ = created->Name;
    had_messages_ = had_messages_ || created->NumPending != 0;
    is_drained_ = created->NumPending == 0;
    jsConsumerInfo_Destroy(created);
    last_of_consumer_ = 0;
    jsSubOptions binding;
    jsSubOptions_Init(&binding);
    binding.Stream = options_.stream.c_str();
    binding.Consumer = consumer_.c_str();
    binding.Config.MemoryStorage = true;  // the library compares it
    status = js_PullSubscribe(&subscription_, connection_.jetstream(), options_.filter.c_str(),
                              nullptr, nullptr, &binding, &code);
    if (status == NATS_OK) status = natsSubscription_SetPendingLimits(subscription_, -1, -1);
    if (status == NATS_OK) return true;
  }
  *why = fmt::format(
      "cannot create a consumer of the stream {} for '{}': {}; check the permissions of the user",
      options_.stream, options_.filter, nats_reason(status, code));
  return false;
}

void NatsOrderedQueue::remove_consumer() {
  natsSubscription_Destroy(std::exchange(subscription_, nullptr));
  if (!consumer_.empty() && connection_.is_connected()) {
    js_DeleteConsumer(connection_.jetstream(), options_.stream.c_str(), consumer_.c_str(), nullptr,
                      nullptr);
  }
  consumer_.clear();
}

NatsOrderedQueue::~NatsOrderedQueue() {
  remove_consumer();
}

std::optional<Delivery> NatsOrderedQueue::next(int timeout_ms) {
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
    if (subscription_ == nullptr && !create_consumer(&why_)) {
      remove_consumer();
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(rest_ms, kRepeatMs)));
      continue;
    }
    fetch(std::min(rest_ms, kLongestFetchMs));
  }
  Delivery first = std::move(fetched_.front());
  fetched_.pop_front();
  last_returned_ = first.message.number;
  return first;
}

void NatsOrderedQueue::fetch(int timeout_ms) {
  natsMsgList list{};
  jsErrCode code{};
  const natsStatus status =
      natsSubscription_Fetch(&list, subscription_, options_.batch, timeout_ms, &code);
  if (status == NATS_OK) {
    bool is_whole = true;
    for (int i = 0; i < list.Count && is_whole; ++i) is_whole = take(list.Msgs[i]);
    next_check_ = Clock::now() + kCheckInterval;
    natsMsgList_Destroy(&list);
    if (!is_whole) remove_consumer();
    return;
  }
  if (status == NATS_TIMEOUT || status == NATS_NOT_FOUND) {
    if (Clock::now() >= next_check_ && !is_consumer_known()) remove_consumer();
    return;
  }
  why_ = fmt::format("cannot fetch messages: {}; check the stream {}", nats_reason(status, code),
                     options_.stream);
  remove_consumer();
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(timeout_ms, kRepeatMs)));
}

bool NatsOrderedQueue::is_consumer_known() {
  next_check_ = Clock::now() + kCheckInterval;
  jsConsumerInfo* info = nullptr;
  const natsStatus status = js_GetConsumerInfo(
      &info, connection_.jetstream(), options_.stream.c_str(), consumer_.c_str(), nullptr, nullptr);
  jsConsumerInfo_Destroy(info);
  return status != NATS_NOT_FOUND;
}

bool NatsOrderedQueue::take(natsMsg* message) {
  jsMsgMetaData* origin = nullptr;
  if (natsMsg_GetMetaData(&origin, message) != NATS_OK) return false;
  const bool is_next = origin->Sequence.Consumer == last_of_consumer_ + 1;
  const std::uint64_t number = origin->Sequence.Stream;
  if (is_next) is_drained_ = origin->NumPending == 0;
  jsMsgMetaData_Destroy(origin);
  if (!is_next) return false;
  ++last_of_consumer_;
  last_fetched_ = number;
  Delivery delivery;
  delivery.token = number;
  delivery.message.number = number;
  delivery.message.subject = natsMsg_GetSubject(message);
  const auto* const begin = reinterpret_cast<const std::byte*>(natsMsg_GetData(message));
  delivery.message.payload.assign(begin, begin + natsMsg_GetDataLength(message));
  fetched_.push_back(std::move(delivery));
  return true;
}

bool NatsOrderedQueue::is_complete() const {
  return fetched_.empty() && (is_drained_ || last_returned_ >= last_at_begin_);
}

DeliveryQueue::Fetched NatsOrderedQueue::fetch_contents(std::string_view key, Bytes& contents) {
  return key.starts_with(kBodyKeyPrefix) ? fetch_body(connection_, key, contents, &why_)
                                         : dictionaries_.fetch(key, contents, &why_);
}

}  // namespace ringside::fleet
