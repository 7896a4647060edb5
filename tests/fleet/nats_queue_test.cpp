// Queues of JetStream, with a real nats-server.

#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"

namespace ringside::fleet {
namespace {

TEST_F(NatsQueueTest, DeliversWhatIsPublished) {
  const PublishResult first = publish(outgoing(kSubject, "a", 0, "one"));
  ASSERT_EQ(first.status, PublishStatus::kStored) << first.why;
  const PublishResult second = publish(outgoing(kSubject, "b", first.number, std::string(3, '\0')));
  ASSERT_EQ(second.status, PublishStatus::kStored) << second.why;
  EXPECT_GT(second.number, first.number);

  const auto sink = delivery();
  std::optional<Delivery> came = sink->next(kBoundMs);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->message.number, first.number);
  EXPECT_EQ(came->message.subject, kSubject);
  EXPECT_EQ(came->message.payload, bytes_of("one"));
  came = sink->next(kBoundMs);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->message.number, second.number);
  EXPECT_EQ(came->message.payload, bytes_of(std::string(3, '\0')));
  EXPECT_FALSE(sink->next(1));
}

TEST_F(NatsQueueTest, StoresFirstMessageOnlyIfSubjectIsEmpty) {
  EXPECT_EQ(publish(outgoing(kSubject, "a", 0, "one")).status, PublishStatus::kStored);
  const PublishResult again = publish(outgoing(kSubject, "b", 0, "two"));
  EXPECT_EQ(again.status, PublishStatus::kOtherLast);
  EXPECT_NE(again.why.find("10071"), std::string::npos) << again.why;
  EXPECT_EQ(publish(outgoing("rs.ext.t.h.s.2", "c", 0, "one")).status, PublishStatus::kStored);
}

TEST_F(NatsQueueTest, StoresOnlyAfterExpectedMessage) {
  EXPECT_EQ(publish(outgoing(kSubject, "a", 7, "one")).status, PublishStatus::kOtherLast);
  const PublishResult first = publish(outgoing(kSubject, "b", 0, "one"));
  const PublishResult other = publish(outgoing("rs.ext.t.h.s.2", "c", 0, "one"));
  // The condition is about the subject: a message of another one does not matter.
  EXPECT_EQ(publish(outgoing(kSubject, "d", other.number, "two")).status,
            PublishStatus::kOtherLast);
  EXPECT_EQ(publish(outgoing(kSubject, "e", first.number, "two")).status, PublishStatus::kStored);
}

TEST_F(NatsQueueTest, StoresMessageWithSameIdOnce) {
  const PublishResult first = publish(outgoing(kSubject, "a", 0, "one"));
  const PublishResult again = publish(outgoing(kSubject, "a", 0, "one"));
  EXPECT_EQ(again.status, PublishStatus::kStored) << again.why;
  EXPECT_EQ(again.number, first.number);
  EXPECT_EQ(publish(outgoing(kSubject, "b", first.number, "two")).number, first.number + 1);
}

TEST_F(NatsQueueTest, FindsLastMessageOfSubject) {
  StoredMessage last;
  EXPECT_EQ(queue->last_of(kSubject, last), PublishQueue::Found::kNo);
  const PublishResult first = publish(outgoing(kSubject, "a", 0, "one"));
  const std::string large(60'000, 'x');
  const PublishResult second = publish(outgoing(kSubject, "b", first.number, large));
  publish(outgoing("rs.ext.t.h.s.2", "c", 0, "other"));
  ASSERT_EQ(queue->last_of(kSubject, last), PublishQueue::Found::kYes) << queue->why();
  EXPECT_EQ(last.number, second.number);
  EXPECT_EQ(last.subject, kSubject);
  EXPECT_EQ(last.payload, bytes_of(large));
  EXPECT_EQ(queue->last_of("rs.ext.t.h.s.3", last), PublishQueue::Found::kNo);
  server.kill();
  EXPECT_EQ(queue->last_of(kSubject, last), PublishQueue::Found::kUnknown);
  EXPECT_NE(queue->why(), "");
}

TEST_F(NatsQueueTest, StoresContentsOnce) {
  const auto sink = delivery();
  Bytes contents;
  EXPECT_EQ(sink->fetch_contents(kKey, contents), DeliveryQueue::Fetched::kMissing);
  EXPECT_TRUE(queue->store_contents(kKey, bytes_of("dictionary"))) << queue->why();
  EXPECT_TRUE(queue->store_contents(kKey, bytes_of("later"))) << queue->why();
  ASSERT_EQ(sink->fetch_contents(kKey, contents), DeliveryQueue::Fetched::kYes) << sink->why();
  EXPECT_EQ(contents, bytes_of("dictionary"));
  EXPECT_FALSE(queue->store_contents(kKey, Bytes(70'000)));
  EXPECT_NE(queue->why().find("Payload"), std::string::npos) << queue->why();
}

TEST_F(NatsQueueTest, StoresContentsAgainAfterDeletion) {
  ASSERT_TRUE(queue->store_contents(kKey, bytes_of("dictionary")));
  kvStore* bucket = nullptr;
  ASSERT_EQ(js_KeyValue(&bucket, connection->jetstream(), kDictionaryBucket), NATS_OK);
  ASSERT_EQ(kvStore_Delete(bucket, kKey), NATS_OK);
  kvStore_Destroy(bucket);
  const auto sink = delivery();
  Bytes contents;
  EXPECT_EQ(sink->fetch_contents(kKey, contents), DeliveryQueue::Fetched::kMissing);
  EXPECT_TRUE(queue->store_contents(kKey, bytes_of("dictionary"))) << queue->why();
  EXPECT_EQ(sink->fetch_contents(kKey, contents), DeliveryQueue::Fetched::kYes) << sink->why();
}

TEST_F(NatsQueueTest, DeliversAgainWhatIsNotAcknowledged) {
  const PublishResult first = publish(outgoing(kSubject, "a", 0, "one"));
  const PublishResult second = publish(outgoing(kSubject, "b", first.number, "two"));
  DeliveryOptions options;
  options.ack_wait_ms = 500;
  // Each can come more than once already here, if this process is stopped for half a second.
  const auto wait_for = [&](NatsDeliveryQueue& sink, std::uint64_t number) {
    while (true) {
      const std::optional<Delivery> came = sink.next(kBoundMs);
      ASSERT_TRUE(came);
      if (came->message.number == first.number) sink.acknowledge(came->token);
      if (came->message.number == number) return;
    }
  };
  {
    const auto sink = delivery(options);
    wait_for(*sink, first.number);
    wait_for(*sink, second.number);
  }
  const auto sink = delivery(options);
  wait_for(*sink, second.number);
}

TEST_F(NatsQueueTest, ConnectionSendsAcknowledgementsBeforeItEnds) {
  const PublishResult first = publish(outgoing(kSubject, "a", 0, "one"));
  {
    const auto other = connected(server);
    std::string why;
    DeliveryOptions options;
    options.consumer = "sink";
    const auto sink = NatsDeliveryQueue::open(*other, options, &why);
    ASSERT_NE(sink, nullptr) << why;
    const std::optional<Delivery> came = sink->next(kBoundMs);
    ASSERT_TRUE(came);
    sink->acknowledge(came->token);
  }
  // The server has received the acknowledgement, but can still have to process it.
  std::uint64_t acknowledged = 0;
  while (acknowledged < first.number) {
    jsConsumerInfo* info = nullptr;
    ASSERT_EQ(
        js_GetConsumerInfo(&info, connection->jetstream(), kExtentStream, "sink", nullptr, nullptr),
        NATS_OK);
    acknowledged = info->AckFloor.Stream;
    jsConsumerInfo_Destroy(info);
  }
}

TEST_F(NatsQueueTest, GoesOnWithAStreamThatIsCreatedAnew) {
  const auto sink = delivery();
  ASSERT_EQ(publish(outgoing(kSubject, "a", 0, "one")).status, PublishStatus::kStored);
  const std::optional<Delivery> before = sink->next(kBoundMs);
  ASSERT_TRUE(before);
  ASSERT_EQ(js_DeleteStream(connection->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  EXPECT_FALSE(sink->next(300));
  std::string why;
  ASSERT_TRUE(prepare_fleet_streams(*connection, {}, &why)) << why;
  // The answer to the old message is none to the new one with the same number.
  const PublishResult again = publish(outgoing(kSubject, "b", 0, "two"));
  EXPECT_EQ(again.number, before->message.number);
  const std::optional<Delivery> after = sink->next(kBoundMs);
  ASSERT_TRUE(after) << sink->why();
  EXPECT_EQ(after->message.payload, bytes_of("two"));
  EXPECT_GT(after->message.queue_created_ns, before->message.queue_created_ns);
  sink->acknowledge(before->token);
  sink->postpone(after->token);
  const std::optional<Delivery> once_more = sink->next(kBoundMs);
  ASSERT_TRUE(once_more) << sink->why();
  EXPECT_EQ(once_more->message.number, after->message.number);
}

TEST_F(NatsQueueTest, DeliversPostponedMessageAgain) {
  publish(outgoing(kSubject, "a", 0, "one"));
  DeliveryOptions options;
  options.ack_wait_ms = 10 * kBoundMs;  // so that only the postponement brings it again
  options.postpone_ms = 50;
  const auto sink = delivery(options);
  for (int i = 0; i < 3; ++i) {
    const std::optional<Delivery> came = sink->next(kBoundMs);
    ASSERT_TRUE(came) << i;
    EXPECT_EQ(came->message.payload, bytes_of("one"));
    sink->postpone(came->token);
  }
}

TEST_F(NatsQueueTest, ConsumersShareMessages) {
  std::uint64_t last = 0;
  for (int i = 0; i < 40; ++i) {
    last = publish(outgoing(kSubject, std::to_string(i), last, "one")).number;
  }
  DeliveryOptions options;
  options.ack_wait_ms = 10 * kBoundMs;
  options.batch = 4;
  const auto one = delivery(options);
  const auto other = delivery(options);
  std::set<std::uint64_t> numbers;
  // Which of them gets how many depends on the server.
  while (numbers.size() < 40) {
    for (NatsDeliveryQueue* const sink : {one.get(), other.get()}) {
      const std::optional<Delivery> came = sink->next(10);
      if (!came) continue;
      ASSERT_TRUE(numbers.insert(came->message.number).second);
      sink->acknowledge(came->token);
    }
  }
}

TEST_F(NatsQueueTest, RefusesWhatExceedsMaximalPayload) {
  const PublishResult result = publish(outgoing(kSubject, "a", 0, std::string(65'537, 'x')));
  EXPECT_EQ(result.status, PublishStatus::kRefused);
  EXPECT_NE(result.why.find("max_payload"), std::string::npos) << result.why;
  EXPECT_EQ(publish(outgoing(kSubject, "b", 0, "one")).status, PublishStatus::kStored);
}

}  // namespace
}  // namespace ringside::fleet
