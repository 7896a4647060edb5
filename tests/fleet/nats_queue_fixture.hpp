#pragma once
// Queues of JetStream on a nats-server of their own.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "tests/fleet/nats_server.hpp"
#include "tools/fleet/fleet_streams.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_delivery_queue.hpp"
#include "tools/fleet/nats_publish_queue.hpp"

namespace ringside::fleet {

inline constexpr int kBoundMs = 120'000;  // only a hang reaches it
inline constexpr const char* kKey =
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
inline constexpr const char* kSubject = "rs.ext.t.h.s.1";

inline Bytes bytes_of(std::string_view text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline OutgoingMessage outgoing(std::string subject, std::string id, std::uint64_t expected_last,
                                std::string_view text) {
  return {std::move(subject), std::move(id), expected_last, bytes_of(text)};
}

inline std::unique_ptr<NatsConnection> connected(const NatsOptions& options) {
  std::string why;
  std::unique_ptr<NatsConnection> connection = NatsConnection::open(options, &why);
  EXPECT_NE(connection, nullptr) << why;
  return connection;
}

inline std::unique_ptr<NatsConnection> connected(const test::NatsServer& server,
                                                 int request_timeout_ms = kBoundMs) {
  NatsOptions options;
  options.servers = server.url();
  options.request_timeout_ms = request_timeout_ms;
  return connected(options);
}

class NatsQueueTest : public testing::Test {
 protected:
  NatsQueueTest() {
    std::string why;
    EXPECT_TRUE(prepare_fleet_streams(*connection, {}, &why)) << why;
    queue = NatsPublishQueue::open(*connection, &why);
    EXPECT_NE(queue, nullptr) << why;
  }

  PublishResult publish(OutgoingMessage message) {
    queue->publish(++token, std::move(message));
    const std::optional<PublishResult> result = queue->result(kBoundMs);
    EXPECT_TRUE(result);
    if (!result) return {};
    EXPECT_EQ(result->token, token);
    return *result;
  }

  std::unique_ptr<NatsDeliveryQueue> delivery(DeliveryOptions options = {}) {
    if (options.consumer.empty()) options.consumer = "sink";
    std::string why;
    std::unique_ptr<NatsDeliveryQueue> opened = NatsDeliveryQueue::open(*connection, options, &why);
    EXPECT_NE(opened, nullptr) << why;
    return opened;
  }

  test::NatsServer server{"max_payload: 65536"};
  std::unique_ptr<NatsConnection> connection = connected(server);
  std::unique_ptr<NatsPublishQueue> queue;
  std::uint64_t token = 0;
};

}  // namespace ringside::fleet
