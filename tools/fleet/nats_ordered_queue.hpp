#pragma once
// All messages of a filter in the order of the stream, each once, for one reader: an ephemeral
// consumer of JetStream without acknowledgements, which does not remain.

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "tools/fleet/dictionary_bucket.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

struct OrderedOptions {
  enum class Begin : std::uint8_t { kAll, kNow, kTime };

  std::string stream = kExtentStream;
  std::string filter = kExtentSubjects;  // subjects, with wildcards
  Begin begin = Begin::kAll;
  std::int64_t begin_ns = 0;  // of kTime: Unix time at which messages were stored
  int batch = 16;             // messages that one request asks for; held in memory
};

// The consumer's own numbers of messages show what is missing: then, and if the server has
// forgotten the consumer, a new one continues after the last message.
class NatsOrderedQueue final : public DeliveryQueue {
 public:
  // `connection` must outlive the queue. Null with `*why` if the consumer cannot be created.
  static std::unique_ptr<NatsOrderedQueue> open(NatsConnection& connection,
                                                const OrderedOptions& options, std::string* why);
  ~NatsOrderedQueue() override;
  NatsOrderedQueue(const NatsOrderedQueue&) = delete;
  NatsOrderedQueue& operator=(const NatsOrderedQueue&) = delete;

  std::optional<Delivery> next(int timeout_ms) override;
  void acknowledge(std::uint64_t /*token*/) override {}
  void postpone(std::uint64_t /*token*/) override {}
  Fetched fetch_contents(std::string_view key, Bytes& contents) override;
  // A reader changes nothing in the fleet.
  void request_contents(const std::string& /*subject*/, const std::string& /*key*/) override {}
  bool store_dead_letter(const StoredMessage& /*message*/, const std::string& /*reason*/) override {
    return true;
  }

  // Whether next() has returned all messages that were stored when the queue was opened.
  bool is_complete() const;
  // Whether there were any.
  bool had_messages() const { return had_messages_; }
  // Why the last fetch_contents() was kUnknown, or the last next() failed; empty: it did not.
  const std::string& why() const { return why_; }

 private:
  NatsOrderedQueue(NatsConnection& connection, OrderedOptions options)
      : connection_(connection), options_(std::move(options)), dictionaries_(connection) {}

  bool begin(std::string* why);
  bool create_consumer(std::string* why);
  void remove_consumer();
  void fetch(int timeout_ms);
  // False if the server has forgotten it.
  bool is_consumer_known();
  // False if a message before it is missing.
  bool take(natsMsg* message);

  NatsConnection& connection_;
  const OrderedOptions options_;
  DictionaryBucket dictionaries_;
  std::string consumer_;  // its name
  natsSubscription* subscription_ = nullptr;
  std::chrono::steady_clock::time_point next_check_;
  std::deque<Delivery> fetched_;
  std::uint64_t last_of_consumer_ = 0;  // the consumer's number of the last message
  std::uint64_t last_fetched_ = 0;      // the stream's number of it
  std::uint64_t last_returned_ = 0;
  std::uint64_t last_at_begin_ = 0;  // of the stream
  bool had_messages_ = false;
  bool is_drained_ = false;  // the last message had none after it
  std::string why_;
};

}  // namespace ringside::fleet
