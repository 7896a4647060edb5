#pragma once
// Delivery by a durable pull consumer of JetStream.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_pulled_queue.hpp"

namespace ringside::fleet {

struct DeliveryOptions {
  std::string consumer;                  // name of the durable consumer, shared by its processes
  std::string filter = kExtentSubjects;  // subjects, with wildcards
  int ack_wait_ms = 60'000;              // then a message comes again
  int postpone_ms = 1000;
  int most_unacknowledged = 256;  // of all processes of the consumer
  int batch = 16;                 // messages that one request asks for; held in memory
};

class NatsDeliveryQueue final : public NatsPulledQueue {
 public:
  // Creates or updates the consumer, which remains after destruction. `connection` must outlive the
  // queue. Null with `*why` if the consumer cannot be created or used.
  static std::unique_ptr<NatsDeliveryQueue> open(NatsConnection& connection,
                                                 const DeliveryOptions& options, std::string* why);
  // What is not acknowledged comes again after `ack_wait_ms`.
  ~NatsDeliveryQueue() override;
  NatsDeliveryQueue(const NatsDeliveryQueue&) = delete;
  NatsDeliveryQueue& operator=(const NatsDeliveryQueue&) = delete;

  // An acknowledgement that is lost with the connection lets the message come again.
  void acknowledge(std::uint64_t token) override;
  void postpone(std::uint64_t token) override;
  bool store_dead_letter(const StoredMessage& message, const std::string& reason) override;
  void request_contents(const std::string& subject, const std::string& key) override;
  Fetched fetch_message(std::uint64_t number, StoredMessage& message) override;

 private:
  NatsDeliveryQueue(NatsConnection& connection, const DeliveryOptions& options)
      : NatsPulledQueue(connection), options_(options) {}

  bool begin(std::string* why);
  bool has_consumer();
  bool subscribe(std::string* why);
  void unsubscribe();
  void fetch(int timeout_ms) override;
  void answer(std::uint64_t token, const std::string& text);

  const DeliveryOptions options_;
  natsSubscription* subscription_ = nullptr;
  std::chrono::steady_clock::time_point next_check_;
  std::uint64_t last_token_ = 0;
  std::map<std::uint64_t, std::string> answer_subjects_;  // of deliveries without an answer
};

}  // namespace ringside::fleet
