#pragma once
// Publishing by JetStream.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tools/fleet/dictionary_bucket.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

// The answers come to one subscription, which result() reads: no callback runs on a thread of the
// library, and a message is not kept until it is answered.
class NatsPublishQueue final : public PublishQueue {
 public:
  // `connection` must outlive the queue. Null with `*why` if the connection is closed.
  static std::unique_ptr<NatsPublishQueue> open(NatsConnection& connection, std::string* why);
  ~NatsPublishQueue() override;
  NatsPublishQueue(const NatsPublishQueue&) = delete;
  NatsPublishQueue& operator=(const NatsPublishQueue&) = delete;

  // Without a connection, the result is kUnknown at once. It is kUnknown too if the connection is
  // lost or if there is no answer after the connection's `request_timeout_ms`; an answer that comes
  // later is ignored.
  void publish(std::uint64_t token, OutgoingMessage message) override;
  std::optional<PublishResult> result(int timeout_ms) override;
  Found last_of(const std::string& subject, StoredMessage& message) override;
  bool store_contents(std::string_view key, const Bytes& contents) override;
  std::size_t most_payload_bytes() const override { return connection_.most_payload_bytes(); }

  // Why the last last_of() was kUnknown or the last store_contents() failed.
  const std::string& why() const { return why_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Unanswered {
    std::uint64_t token = 0;
    Clock::time_point deadline;
  };

  explicit NatsPublishQueue(NatsConnection& connection)
      : connection_(connection), dictionaries_(connection) {}

  void refuse_or_doubt(std::uint64_t token, natsStatus status);
  void take_answer(natsMsg* answer);
  void take_overdue();
  void doubt_all(const std::string& why);
  bool take_from_subscription(int timeout_ms);
  int longest_wait_ms(Clock::time_point deadline) const;

  NatsConnection& connection_;
  DictionaryBucket dictionaries_;
  natsSubscription* answers_ = nullptr;
  std::string answer_prefix_;                       // of the subjects of answers
  std::uint64_t published_ = 0;                     // the last part of those subjects
  std::map<std::uint64_t, Unanswered> unanswered_;  // by that part, so that a token can be reused
  std::deque<PublishResult> results_;
  std::string why_;
};

}  // namespace ringside::fleet
