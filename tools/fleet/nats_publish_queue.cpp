#include "tools/fleet/nats_publish_queue.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_bodies.hpp"
#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/publish_answer.hpp"

namespace ringside::fleet {
namespace {

constexpr const char* kExpectedLastHeader = "Nats-Expected-Last-Subject-Sequence";
constexpr const char* kIdHeader = "Nats-Msg-Id";
// How long a lost connection can stay unnoticed while something is unanswered.
constexpr int kStatePollMs = 100;

struct MessageDestroyer {
  void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
};
using OwnedMessage = std::unique_ptr<natsMsg, MessageDestroyer>;

int milliseconds_until(std::chrono::steady_clock::time_point time) {
  const auto rest =
      std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(rest.count(), 0, INT_MAX));
}

// An expected number of 0 is set here, because jsPubOptions takes it for no expectation.
natsStatus build_message(const OutgoingMessage& message, const std::string& answer_subject,
                         OwnedMessage& built) {
  natsMsg* created = nullptr;
  natsStatus status = natsMsg_Create(&created, message.subject.c_str(), answer_subject.c_str(),
                                     reinterpret_cast<const char*>(message.payload.data()),
                                     static_cast<int>(message.payload.size()));
  built.reset(created);
  if (status == NATS_OK) {
    status = natsMsgHeader_Set(created, kExpectedLastHeader,
                               std::to_string(message.expected_last).c_str());
  }
  if (status == NATS_OK && !message.id.empty()) {
    status = natsMsgHeader_Set(created, kIdHeader, message.id.c_str());
  }
  return status;
}

}  // namespace

std::unique_ptr<NatsPublishQueue> NatsPublishQueue::open(NatsConnection& connection,
                                                         std::string* why) {
  std::unique_ptr<NatsPublishQueue> opened(new NatsPublishQueue(connection));
  natsInbox* inbox = nullptr;
  natsStatus status = natsInbox_Create(&inbox);
  if (status == NATS_OK) {
    opened->answer_prefix_ = fmt::format("{}.", inbox);
    status = natsConnection_SubscribeSync(&opened->answers_, connection.handle(),
                                          (opened->answer_prefix_ + "*").c_str());
  }
  natsInbox_Destroy(inbox);
  // The number of answers is bounded by what is published.
  if (status == NATS_OK) status = natsSubscription_SetPendingLimits(opened->answers_, -1, -1);
  if (status == NATS_OK) return opened;
  *why = fmt::format(
      "cannot subscribe to the server's answers: {}; check the permissions of the "
      "user for _INBOX.>",
      nats_reason(status));
  return nullptr;
}

NatsPublishQueue::~NatsPublishQueue() {
  natsSubscription_Destroy(answers_);
}

void NatsPublishQueue::publish(std::uint64_t token, OutgoingMessage message) {
  if (!connection_.is_connected()) {
    results_.push_back({token, PublishStatus::kUnknown, 0, connection_.state()});
    return;
  }
  if (message.payload.size() > INT_MAX) {
    refuse_or_doubt(token, NATS_MAX_PAYLOAD);
    return;
  }
  const std::uint64_t number = ++published_;
  OwnedMessage built;
  natsStatus status = build_message(message, answer_prefix_ + std::to_string(number), built);
  if (status == NATS_OK) status = natsConnection_PublishMsg(connection_.handle(), built.get());
  if (status != NATS_OK) {
    refuse_or_doubt(token, status);
    return;
  }
  unanswered_[number] = {
      token, Clock::now() + std::chrono::milliseconds(connection_.request_timeout_ms())};
}

void NatsPublishQueue::refuse_or_doubt(std::uint64_t token, natsStatus status) {
  PublishResult result{.token = token, .why = {}};
  if (status == NATS_MAX_PAYLOAD) {
    result.status = PublishStatus::kRefused;
    result.why =
        fmt::format("message too large: {}; raise max_payload of nats-server", nats_reason(status));
  } else if (status == NATS_INVALID_SUBJECT || status == NATS_INVALID_ARG) {
    result.status = PublishStatus::kRefused;
    result.why = fmt::format("invalid message: {}; report this", nats_reason(status));
  } else {
    result.why = fmt::format("cannot publish: {}; check the connection", nats_reason(status));
  }
  results_.push_back(std::move(result));
}

std::optional<PublishResult> NatsPublishQueue::result(int timeout_ms) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    // Answers that are here come before doubts.
    while (results_.empty() && take_from_subscription(0)) {
    }
    if (results_.empty()) take_overdue();
    if (results_.empty() && !unanswered_.empty() && !connection_.is_connected()) {
      doubt_all(connection_.state());
    }
    if (!results_.empty()) break;
    const int wait_ms = longest_wait_ms(deadline);
    if (wait_ms == 0) return {};
    take_from_subscription(wait_ms);
  }
  PublishResult first = std::move(results_.front());
  results_.pop_front();
  return first;
}

int NatsPublishQueue::longest_wait_ms(Clock::time_point deadline) const {
  const int until_deadline_ms = milliseconds_until(deadline);
  return unanswered_.empty() ? until_deadline_ms : std::min(until_deadline_ms, kStatePollMs);
}

// False if nothing came.
bool NatsPublishQueue::take_from_subscription(int timeout_ms) {
  natsMsg* answer = nullptr;
  const natsStatus status = natsSubscription_NextMsg(&answer, answers_, timeout_ms);
  switch (status) {
    case NATS_OK:
      take_answer(answer);
      natsMsg_Destroy(answer);
      return true;
    case NATS_NO_RESPONDERS:
      // The library does not tell for which message. No stream has the subjects, so it is all.
      doubt_all(fmt::format("no stream stores the messages; create the stream {}", kExtentStream));
      return true;
    case NATS_TIMEOUT:
      return false;
    default:
      // The connection is closed, and the library returns at once.
      std::this_thread::sleep_for(std::chrono::milliseconds(timeout_ms));
      return false;
  }
}

void NatsPublishQueue::take_answer(natsMsg* answer) {
  const std::string_view subject = natsMsg_GetSubject(answer);
  if (subject.size() <= answer_prefix_.size()) return;
  const std::string_view digits = subject.substr(answer_prefix_.size());
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const auto found = unanswered_.find(number);
  if (found == unanswered_.end()) return;
  const auto size = static_cast<std::size_t>(natsMsg_GetDataLength(answer));
  results_.push_back(
      read_publish_answer(found->second.token, std::string_view(natsMsg_GetData(answer), size)));
  unanswered_.erase(found);
}

void NatsPublishQueue::take_overdue() {
  const Clock::time_point now = Clock::now();
  if (unanswered_.empty() || unanswered_.begin()->second.deadline > now) return;
  // The server reports a violation to the connection, not for the message.
  const std::string violation = connection_.violation();
  const std::string cause =
      violation.empty() ? "check its load and its log" : violation + "; correct its permissions";
  const std::string why =
      fmt::format("no answer of the server in {} ms; {}", connection_.request_timeout_ms(), cause);
  // In the order of their deadlines.
  while (!unanswered_.empty() && unanswered_.begin()->second.deadline <= now) {
    results_.push_back({unanswered_.begin()->second.token, PublishStatus::kUnknown, 0, why});
    unanswered_.erase(unanswered_.begin());
  }
}

void NatsPublishQueue::doubt_all(const std::string& why) {
  for (const auto& [number, one] : unanswered_) {
    results_.push_back({one.token, PublishStatus::kUnknown, 0, why});
  }
  unanswered_.clear();
}

PublishQueue::Found NatsPublishQueue::last_of(const std::string& subject, StoredMessage& message) {
  // Otherwise the request would wait for a connection, until its timeout.
  if (!connection_.is_connected()) {
    why_ = connection_.state();
    return Found::kUnknown;
  }
  natsMsg* received = nullptr;
  jsErrCode code{};
  const natsStatus status = js_GetLastMsg(&received, connection_.jetstream(), kExtentStream,
                                          subject.c_str(), nullptr, &code);
  const OwnedMessage last(received);
  if (code == JSNoMessageFoundErr) return Found::kNo;
  if (status != NATS_OK) {
    why_ = fmt::format(
        "cannot look up the last message of {}: {}; check the connection and the "
        "stream {}",
        subject, nats_reason(status, code), kExtentStream);
    return Found::kUnknown;
  }
  message.number = natsMsg_GetSequence(received);
  message.subject = natsMsg_GetSubject(received);
  const auto* const begin = reinterpret_cast<const std::byte*>(natsMsg_GetData(received));
  message.payload.assign(begin, begin + natsMsg_GetDataLength(received));
  return Found::kYes;
}

bool NatsPublishQueue::store_contents(std::string_view key, const Bytes& contents) {
  return key.starts_with(kBodyKeyPrefix) ? store_body(connection_, key, contents, &why_)
                                         : dictionaries_.store(key, contents, &why_);
}

}  // namespace ringside::fleet
