#pragma once
// What a shipper and a sink need of a queue that keeps messages: JetStream, or its model in tests.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::fleet {

using Bytes = std::vector<std::byte>;

// A message to be stored.
struct OutgoingMessage {
  std::string subject;
  std::string id;  // the queue may drop a second message with the same one
  // Stored only if the last message of the subject has this number; 0: only as the first.
  std::uint64_t expected_last = 0;
  Bytes payload;
};

struct StoredMessage {
  std::uint64_t number = 0;  // in the queue; rises, with gaps
  std::string subject;
  Bytes payload;
  // When the queue was created, in ns since 1970: one that is created anew begins with 1 again.
  std::uint64_t queue_created_ns = 0;
};

enum class PublishStatus : std::uint8_t {
  kStored,
  kOtherLast,  // another message is the last of the subject
  kUnknown,    // it may be stored or not: no connection, no answer in time
  kRefused,    // never to be stored as it is, for example because it is too large
};

struct PublishResult {
  std::uint64_t token = 0;
  PublishStatus status = PublishStatus::kUnknown;
  std::uint64_t number = 0;  // if it is stored
  std::string why;           // if it is not
};

// Not thread-safe: used by one thread.
class PublishQueue {
 public:
  virtual ~PublishQueue() = default;

  // Begins to publish; exactly one result with this token comes later, in any order.
  virtual void publish(std::uint64_t token, OutgoingMessage message) = 0;

  // The next result, after `timeout_ms` at the latest.
  virtual std::optional<PublishResult> result(int timeout_ms) = 0;

  enum class Found : std::uint8_t { kYes, kNo, kUnknown };
  // The last message of the subject.
  virtual Found last_of(const std::string& subject, StoredMessage& message) = 0;

  // The largest payload of a message, and the largest contents. Can change with the server.
  virtual std::size_t most_payload_bytes() const = 0;

  // Stores contents under their hash: hash_key() for ever, body_key() for as long as messages of
  // this time. True if they are stored, now or (except bodies) before.
  virtual bool store_contents(std::string_view key, const Bytes& contents) = 0;
};

struct Delivery {
  std::uint64_t token = 0;
  StoredMessage message;
};

// One of any number of consumers that share the messages. Not thread-safe.
class DeliveryQueue {
 public:
  virtual ~DeliveryQueue() = default;

  // The next message, after `timeout_ms` at the latest. Each comes again until it is acknowledged,
  // at any place among the others.
  virtual std::optional<Delivery> next(int timeout_ms) = 0;
  virtual void acknowledge(std::uint64_t token) = 0;
  // It shall come again, later.
  virtual void postpone(std::uint64_t token) = 0;

  // Keeps a message that is never to be taken. True if it is stored: then acknowledge it.
  virtual bool store_dead_letter(const StoredMessage& message, const std::string& reason) = 0;

  enum class Fetched : std::uint8_t { kYes, kMissing, kUnknown };
  virtual Fetched fetch_contents(std::string_view key, Bytes& contents) = 0;
  // Asks the host that publishes on the subject to store contents again. Nothing may come of it.
  virtual void request_contents(const std::string& subject, const std::string& key) = 0;

  // The stored message with this number, whether it was delivered or not.
  virtual Fetched fetch_message(std::uint64_t number, StoredMessage& message) {
    static_cast<void>(number);
    static_cast<void>(message);
    return Fetched::kUnknown;
  }
};

}  // namespace ringside::fleet
