#pragma once
// What queues have in common whose messages are fetched from a pull consumer of JetStream.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/fleet/dictionary_bucket.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

class NatsPulledQueue : public DeliveryQueue {
 public:
  NatsPulledQueue(const NatsPulledQueue&) = delete;
  NatsPulledQueue& operator=(const NatsPulledQueue&) = delete;

  std::optional<Delivery> next(int timeout_ms) final;
  Fetched fetch_contents(std::string_view key, Bytes& contents) final;

  // Why the last fetch_contents() was kUnknown, or the last next() or another call failed; empty:
  // it did not.
  const std::string& why() const { return why_; }

 protected:
  // `connection` must outlive the queue.
  explicit NatsPulledQueue(NatsConnection& connection)
      : connection_(connection), dictionaries_(connection) {}

  // Adds messages that come within `timeout_ms`, or sets why_.
  virtual void fetch(int timeout_ms) = 0;

  // Looks up the stream: its last message, and when it was created. False with `*why` if the server
  // has none, or does not answer.
  bool look_up_stream(const std::string& name, std::uint64_t* last, std::string* why);
  // StoredMessage::queue_created_ns of messages that are fetched from now on.
  std::uint64_t created_ns() const { return created_ns_; }

  enum class Pulled : std::uint8_t { kYes, kNone, kFailed };
  // Fetches up to `most` messages, which `take` gets until it returns false. On failure, why_ tells
  // the reason and `what_to_check`, after a pause: failures come at once, and again with the next
  // request.
  Pulled pull(natsSubscription* subscription, int most, int timeout_ms,
              const std::function<bool(natsMsg*)>& take, const std::string& what_to_check);
  void add(std::uint64_t token, std::uint64_t number, natsMsg* message);
  StoredMessage stored_message(std::uint64_t number, natsMsg* message) const;
  static void pause(int most_ms);

  bool has_fetched() const { return !fetched_.empty(); }
  NatsConnection& connection() const { return connection_; }

  std::string why_;  // NOLINT(*-non-private-member-variables-in-classes): of all queues

 private:
  NatsConnection& connection_;
  DictionaryBucket dictionaries_;
  std::deque<Delivery> fetched_;
  std::uint64_t created_ns_ = 0;
};

}  // namespace ringside::fleet
