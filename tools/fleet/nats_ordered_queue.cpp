#include "tools/fleet/nats_ordered_queue.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

using Clock = std::chrono::steady_clock;

// A server does not answer requests to a consumer that it has forgotten.
constexpr std::chrono::seconds kCheckInterval{2};
// The server removes the consumer of a process that was killed.
constexpr std::int64_t kInactiveNs = 60'000'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;

// nats.c writes fractions of a second without their leading zeros, so the server would begin later.
std::int64_t whole_seconds(std::int64_t unix_ns) {
  return unix_ns - unix_ns % kSecondNs;
}

}  // namespace

std::unique_ptr<NatsOrderedQueue> NatsOrderedQueue::open(NatsConnection& connection,
                                                         const OrderedOptions& options,
                                                         std::string* why) {
  std::unique_ptr<NatsOrderedQueue> opened(new NatsOrderedQueue(connection, options));
  return opened->begin(why) ? std::move(opened) : nullptr;
}

bool NatsOrderedQueue::begin(std::string* why) {
  return look_up_stream(options_.stream, &last_at_begin_, why) && create_consumer(why);
}

// A stream that was created anew counts from 1 again.
bool NatsOrderedQueue::begin_again(std::string* why) {
  const std::uint64_t before_ns = created_ns();
  std::uint64_t last = 0;
  if (!look_up_stream(options_.stream, &last, why)) return false;
  if (created_ns() != before_ns) last_fetched_ = last_at_begin_ = 0;
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
    config.OptStartTime = std::max<std::int64_t>(whole_seconds(options_.begin_ns), 1);
  } else if (options_.begin == OrderedOptions::Begin::kLast) {
    config.DeliverPolicy = js_DeliverLast;
  } else {
    config.DeliverPolicy = js_DeliverAll;
  }
  jsConsumerInfo* created = nullptr;
  jsErrCode code{};
  natsStatus status = js_AddConsumer(&created, connection().jetstream(), options_.stream.c_str(),
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
    status = js_PullSubscribe(&subscription_, connection().jetstream(), options_.filter.c_str(),
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
  if (!consumer_.empty() && connection().is_connected()) {
    js_DeleteConsumer(connection().jetstream(), options_.stream.c_str(), consumer_.c_str(), nullptr,
                      nullptr);
  }
  consumer_.clear();
}

NatsOrderedQueue::~NatsOrderedQueue() {
  remove_consumer();
}

void NatsOrderedQueue::fetch(int timeout_ms) {
  if (subscription_ == nullptr && !begin_again(&why_)) {
    remove_consumer();
    pause(timeout_ms);
    return;
  }
  bool is_whole = true;
  const auto take_next = [&](natsMsg* message) {
    is_whole = take(message);
    return is_whole;
  };
  switch (
      pull(subscription_, options_.batch, timeout_ms, take_next, "the stream " + options_.stream)) {
    case Pulled::kYes:
      next_check_ = Clock::now() + kCheckInterval;
      break;
    case Pulled::kNone:
      is_whole = Clock::now() < next_check_ || is_consumer_known();
      break;
    case Pulled::kFailed:
      is_whole = false;
      break;
  }
  if (!is_whole) remove_consumer();
}

bool NatsOrderedQueue::is_consumer_known() {
  next_check_ = Clock::now() + kCheckInterval;
  jsConsumerInfo* info = nullptr;
  const natsStatus status =
      js_GetConsumerInfo(&info, connection().jetstream(), options_.stream.c_str(),
                         consumer_.c_str(), nullptr, nullptr);
  // What was to come can have been removed from the stream.
  if (status == NATS_OK) {
    is_drained_ = info->NumPending == 0 && info->Delivered.Consumer == last_of_consumer_;
  }
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
  add(number, number, message);
  return true;
}

bool NatsOrderedQueue::is_complete() const {
  return !has_fetched() && (is_drained_ || last_fetched_ >= last_at_begin_);
}

}  // namespace ringside::fleet
