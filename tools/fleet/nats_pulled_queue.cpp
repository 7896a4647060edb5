#include "tools/fleet/nats_pulled_queue.hpp"

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

// A server that restarts forgets requests: one that it does not know must end soon.
constexpr int kLongestFetchMs = 2000;
constexpr int kPauseMs = 100;

}  // namespace

std::optional<Delivery> NatsPulledQueue::next(int timeout_ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  why_.clear();
  while (fetched_.empty()) {
    const auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int rest_ms = static_cast<int>(rest.count());
    if (rest_ms <= 0) return {};
    if (!connection_.wait_until_connected(rest_ms)) {
      why_ = connection_.state();
      return {};
    }
    fetch(std::min(rest_ms, kLongestFetchMs));
  }
  Delivery first = std::move(fetched_.front());
  fetched_.pop_front();
  return first;
}

NatsPulledQueue::Pulled NatsPulledQueue::pull(natsSubscription* subscription, int most,
                                              int timeout_ms,
                                              const std::function<bool(natsMsg*)>& take,
                                              const std::string& what_to_check) {
  natsMsgList list{};
  jsErrCode code{};
  const natsStatus status = natsSubscription_Fetch(&list, subscription, most, timeout_ms, &code);
  if (status == NATS_OK) {
    for (int i = 0; i < list.Count && take(list.Msgs[i]);) ++i;
    natsMsgList_Destroy(&list);
    return Pulled::kYes;
  }
  if (status == NATS_TIMEOUT || status == NATS_NOT_FOUND) return Pulled::kNone;
  why_ =
      fmt::format("cannot fetch messages: {}; check {}", nats_reason(status, code), what_to_check);
  pause(timeout_ms);
  return Pulled::kFailed;
}

bool NatsPulledQueue::look_up_stream(const std::string& name, std::uint64_t* last,
                                     std::string* why) {
  jsStreamInfo* stream = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetStreamInfo(&stream, connection_.jetstream(), name.c_str(), nullptr, &code);
  if (status == NATS_NOT_FOUND) {
    *why = fmt::format("the server has no stream {}; create it with 'ringship init'", name);
    return false;
  }
  if (status != NATS_OK) {
    *why = fmt::format(
        "cannot look up the stream {}: {}; check that nats-server runs with JetStream, and the "
        "permissions of the user",
        name, nats_reason(status, code));
    return false;
  }
  *last = stream->State.LastSeq;
  created_ns_ = static_cast<std::uint64_t>(stream->Created);
  jsStreamInfo_Destroy(stream);
  return true;
}

StoredMessage NatsPulledQueue::stored_message(std::uint64_t number, natsMsg* message) const {
  StoredMessage stored;
  stored.number = number;
  stored.queue_created_ns = created_ns_;
  stored.subject = natsMsg_GetSubject(message);
  const auto* const begin = reinterpret_cast<const std::byte*>(natsMsg_GetData(message));
  stored.payload.assign(begin, begin + natsMsg_GetDataLength(message));
  return stored;
}

void NatsPulledQueue::add(std::uint64_t token, std::uint64_t number, natsMsg* message) {
  fetched_.push_back({token, stored_message(number, message)});
}

void NatsPulledQueue::pause(int most_ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(most_ms, kPauseMs)));
}

DeliveryQueue::Fetched NatsPulledQueue::fetch_contents(std::string_view key, Bytes& contents) {
  return key.starts_with(kBodyKeyPrefix) ? fetch_body(connection_, key, contents, &why_)
                                         : dictionaries_.fetch(key, contents, &why_);
}

}  // namespace ringside::fleet
