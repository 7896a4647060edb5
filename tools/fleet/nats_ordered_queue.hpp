#pragma once
// All messages of a filter in the order of the stream, each once, for one reader: an ephemeral
// consumer of JetStream without acknowledgements, which does not remain.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_pulled_queue.hpp"

namespace ringside::fleet {

struct OrderedOptions {
  enum class Begin : std::uint8_t {
    kAll,
    kNow,
    kTime,
    kLast,  // the last message that is stored
  };

  std::string stream = kExtentStream;
  std::string filter = kExtentSubjects;  // subjects, with wildcards
  Begin begin = Begin::kAll;
  std::int64_t begin_ns = 0;  // of kTime: Unix time at which messages were stored
  int batch = 16;             // messages that one request asks for; held in memory
};

// The consumer's own numbers of messages show what is missing: then, and if the server has
// forgotten the consumer, a new one continues after the last message.
class NatsOrderedQueue final : public NatsPulledQueue {
 public:
  // `connection` must outlive the queue. Null with `*why` if the consumer cannot be created.
  static std::unique_ptr<NatsOrderedQueue> open(NatsConnection& connection,
                                                const OrderedOptions& options, std::string* why);
  ~NatsOrderedQueue() override;
  NatsOrderedQueue(const NatsOrderedQueue&) = delete;
  NatsOrderedQueue& operator=(const NatsOrderedQueue&) = delete;

  void acknowledge(std::uint64_t /*token*/) override {}
  void postpone(std::uint64_t /*token*/) override {}
  // A reader changes nothing in the fleet.
  void request_contents(const std::string& /*subject*/, const std::string& /*key*/) override {}
  bool store_dead_letter(const StoredMessage& /*message*/, const std::string& /*reason*/) override {
    return true;
  }

  // Whether next() has returned all messages that were stored when the queue was opened.
  bool is_complete() const;
  // Whether there were any.
  bool had_messages() const { return had_messages_; }

 private:
  NatsOrderedQueue(NatsConnection& connection, OrderedOptions options)
      : NatsPulledQueue(connection), options_(std::move(options)) {}

  bool begin(std::string* why);
  bool begin_again(std::string* why);
  bool create_consumer(std::string* why);
  void remove_consumer();
  void fetch(int timeout_ms) override;
  // False if the server has forgotten it. Looks whether there are messages to come.
  bool is_consumer_known();
  // False if a message before it is missing.
  bool take(natsMsg* message);

  const OrderedOptions options_;
  std::string consumer_;  // its name
  natsSubscription* subscription_ = nullptr;
  std::chrono::steady_clock::time_point next_check_;
  std::uint64_t last_of_consumer_ = 0;  // the consumer's number of the last message
  std::uint64_t last_fetched_ = 0;      // the stream's number of it
  std::uint64_t last_at_begin_ = 0;     // of the stream
  bool had_messages_ = false;
  bool is_drained_ = false;  // there is none after the last message
};

}  // namespace ringside::fleet
