// Queues of JetStream whose server is killed, stopped and started again.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"

namespace ringside::fleet {
namespace {

TEST_F(NatsQueueTest, ContentsAreUnknownWithoutServer) {
  const auto sink = delivery();
  ASSERT_TRUE(queue->store_contents(kKey, bytes_of("dictionary")));
  server.kill();
  Bytes contents;
  EXPECT_EQ(sink->fetch_contents(kKey, contents), DeliveryQueue::Fetched::kUnknown);
  EXPECT_FALSE(queue->store_contents(kKey, bytes_of("dictionary")));
}

// Results of messages with the tokens from 0, each to a subject of its own.
class InFlightTest : public NatsQueueTest {
 protected:
  static std::string subject_of(std::uint64_t number) {
    return "rs.ext.t.h.s." + std::to_string(number);
  }

  void publish_until(std::uint64_t end) {
    for (; published < end; ++published) {
      queue->publish(published, outgoing(subject_of(published), std::to_string(published), 0, "m"));
    }
  }

  void take_until(std::uint64_t count) {
    while (results.size() < count) {
      const std::optional<PublishResult> result = queue->result(kBoundMs);
      ASSERT_TRUE(result);
      ASSERT_TRUE(results.emplace(result->token, *result).second) << result->token;
    }
  }

  void expect_continuation() {
    server.start();
    ASSERT_TRUE(connection->wait_until_connected(kBoundMs));
    for (const auto& [number, result] : results) {
      if (result.status != PublishStatus::kStored) {
        EXPECT_EQ(result.status, PublishStatus::kUnknown);
        EXPECT_NE(result.why, "");
        continue;
      }
      StoredMessage last;
      ASSERT_EQ(queue->last_of(subject_of(number), last), PublishQueue::Found::kYes) << number;
      EXPECT_EQ(last.number, result.number);
    }
    token = published;
    const PublishResult after = publish(outgoing("rs.ext.t.h.s.after", "after", 0, "after"));
    EXPECT_EQ(after.status, PublishStatus::kStored) << after.why;
    EXPECT_FALSE(queue->result(1));
  }

  std::uint64_t published = 0;
  std::map<std::uint64_t, PublishResult> results;
};

TEST_F(InFlightTest, EachMessageHasOneResultIfServerIsKilled) {
  publish_until(500);
  take_until(50);
  server.kill();
  take_until(500);
  EXPECT_FALSE(queue->result(1));
  expect_continuation();
}

TEST_F(InFlightTest, UnansweredMessagesAreUnknown) {
  publish_until(10);
  take_until(10);
  // A stopped server receives, and does not answer.
  server.stop();
  publish_until(200);
  EXPECT_FALSE(queue->result(1));
  server.kill();
  take_until(200);
  EXPECT_FALSE(queue->result(1));
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(results[i].status, i < 10 ? PublishStatus::kStored : PublishStatus::kUnknown) << i;
  }
  publish_until(201);
  take_until(201);
  EXPECT_EQ(results[200].status, PublishStatus::kUnknown);
  expect_continuation();
  // What is published without a connection is not kept for the next one.
  StoredMessage last;
  EXPECT_EQ(queue->last_of(subject_of(200), last), PublishQueue::Found::kNo);
}

TEST_F(NatsQueueTest, DeliveryContinuesAfterServerIsKilled) {
  const PublishResult first = publish(outgoing(kSubject, "a", 0, "one"));
  const auto sink = delivery();
  std::optional<Delivery> came = sink->next(kBoundMs);
  ASSERT_TRUE(came);
  sink->acknowledge(came->token);
  server.kill();
  EXPECT_FALSE(sink->next(1));
  server.start();
  ASSERT_TRUE(connection->wait_until_connected(kBoundMs));
  const PublishResult second = publish(outgoing(kSubject, "b", first.number, "two"));
  ASSERT_EQ(second.status, PublishStatus::kStored) << second.why;
  came = sink->next(kBoundMs);
  // The acknowledgement of the first can have been lost.
  if (came && came->message.number == first.number) came = sink->next(kBoundMs);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->message.number, second.number);
}

TEST_F(NatsQueueTest, LateAnswerIsIgnored) {
  const auto hasty = connected(server, 300);
  std::string why;
  const auto hasty_queue = NatsPublishQueue::open(*hasty, &why);
  ASSERT_NE(hasty_queue, nullptr) << why;
  server.stop();
  hasty_queue->publish(1, outgoing(kSubject, "a", 0, "one"));
  std::optional<PublishResult> result = hasty_queue->result(kBoundMs);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, PublishStatus::kUnknown);
  server.resume();
  // The answer to the first comes before this one, with the same token.
  StoredMessage last;
  while (queue->last_of(kSubject, last) != PublishQueue::Found::kYes) {
  }
  do {
    hasty_queue->publish(1, outgoing("rs.ext.t.h.s.2", "b", 0, "two"));
    result = hasty_queue->result(kBoundMs);
    ASSERT_TRUE(result);
  } while (result->status == PublishStatus::kUnknown);
  EXPECT_GT(result->number, last.number);
}

}  // namespace
}  // namespace ringside::fleet
