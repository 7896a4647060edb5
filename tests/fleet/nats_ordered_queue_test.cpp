// The queue of a reader whose consumer does not remain, with a real nats-server.

#include "tools/fleet/nats_ordered_queue.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"

namespace ringside::fleet {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

class NatsOrderedQueueTest : public NatsQueueTest {
 protected:
  void store(int count) {
    for (int i = 0; i < count; ++i) {
      ++stored_;
      const std::string subject = "rs.ext.t.h.s." + std::to_string(stored_);
      const PublishResult result = publish(outgoing(subject, subject, 0, std::to_string(stored_)));
      ASSERT_EQ(result.status, PublishStatus::kStored) << result.why;
    }
  }

  std::unique_ptr<NatsOrderedQueue> open(const OrderedOptions& options = {}) {
    std::string why;
    auto opened = NatsOrderedQueue::open(*connection, options, &why);
    EXPECT_NE(opened, nullptr) << why;
    return opened;
  }

  // The numbers of the next messages; ends when the queue has none for a while.
  static std::vector<std::uint64_t> numbers(NatsOrderedQueue& queue, std::size_t count) {
    std::vector<std::uint64_t> found;
    while (found.size() < count) {
      const std::optional<Delivery> delivery = queue.next(kBoundMs);
      if (!delivery) break;
      found.push_back(delivery->message.number);
    }
    return found;
  }

  static std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t number = first; number <= last; ++number) all.push_back(number);
    return all;
  }

  // When the last message was stored.
  std::int64_t last_time_ns() {
    jsStreamInfo* info = nullptr;
    EXPECT_EQ(js_GetStreamInfo(&info, connection->jetstream(), kExtentStream, nullptr, nullptr),
              NATS_OK);
    const std::int64_t time_ns = info == nullptr ? 0 : info->State.LastTime;
    jsStreamInfo_Destroy(info);
    return time_ns;
  }

  // The names of the consumers of the stream.
  std::vector<std::string> consumers() {
    std::vector<std::string> names;
    jsConsumerNamesList* list = nullptr;
    if (js_ConsumerNames(&list, connection->jetstream(), kExtentStream, nullptr, nullptr) ==
        NATS_OK)
      for (int i = 0; i < list->Count; ++i) names.emplace_back(list->List[i]);
    jsConsumerNamesList_Destroy(list);
    return names;
  }

  int stored_ = 0;
};

TEST_F(NatsOrderedQueueTest, DeliversAllInOrderAndIsCompleteAfterTheLast) {
  store(40);  // more than two requests
  const auto reader = open();
  EXPECT_TRUE(reader->had_messages());
  EXPECT_EQ(numbers(*reader, 39), from_to(1, 39));
  EXPECT_FALSE(reader->is_complete());
  EXPECT_EQ(numbers(*reader, 1), from_to(40, 40));
  EXPECT_TRUE(reader->is_complete());
  store(1);
  EXPECT_EQ(numbers(*reader, 1), from_to(41, 41));
}

TEST_F(NatsOrderedQueueTest, IsCompleteIfTheRestIsRemovedFromTheStream) {
  store(40);
  const auto reader = open();
  EXPECT_EQ(numbers(*reader, 18), from_to(1, 18));
  EXPECT_FALSE(reader->is_complete());
  ASSERT_EQ(js_PurgeStream(connection->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBoundMs);
  while (!reader->is_complete() && std::chrono::steady_clock::now() < deadline) reader->next(100);
  EXPECT_TRUE(reader->is_complete());
  store(1);
  EXPECT_EQ(numbers(*reader, 1), from_to(41, 41));
}

TEST_F(NatsOrderedQueueTest, IsCompleteAtOnceWithoutMessages) {
  const auto reader = open();
  EXPECT_FALSE(reader->had_messages());
  EXPECT_TRUE(reader->is_complete());
}

TEST_F(NatsOrderedQueueTest, FiltersBySubject) {
  store(3);
  OrderedOptions options;
  options.filter = "rs.ext.t.h.s.2";
  const auto reader = open(options);
  EXPECT_EQ(numbers(*reader, 1), from_to(2, 2));
  EXPECT_TRUE(reader->is_complete());
}

TEST_F(NatsOrderedQueueTest, BeginsWithWhatComesLater) {
  store(2);
  OrderedOptions options;
  options.begin = OrderedOptions::Begin::kNow;
  const auto reader = open(options);
  EXPECT_FALSE(reader->had_messages());
  store(2);
  EXPECT_EQ(numbers(*reader, 2), from_to(3, 4));
}

TEST_F(NatsOrderedQueueTest, BeginsAtTime) {
  store(2);
  OrderedOptions options;
  options.begin = OrderedOptions::Begin::kTime;
  options.begin_ns = 1;
  EXPECT_EQ(numbers(*open(options), 2), from_to(1, 2));
  const std::int64_t before_ns = last_time_ns();
  while (last_time_ns() / kSecondNs == before_ns / kSecondNs) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    store(1);
  }
  // With the first messages of a second come those before the fraction.
  for (const std::int64_t fraction_ns : {0, 9, 90'000'000, 900'000'000}) {
    options.begin_ns = last_time_ns() / kSecondNs * kSecondNs + fraction_ns;
    EXPECT_EQ(numbers(*open(options), 1),
              from_to(static_cast<std::uint64_t>(stored_), static_cast<std::uint64_t>(stored_)))
        << fraction_ns;
  }
}

TEST_F(NatsOrderedQueueTest, ContinuesWithNewConsumerAfterServerForgotIt) {
  store(20);
  const auto reader = open();
  EXPECT_EQ(numbers(*reader, 18), from_to(1, 18));
  ASSERT_EQ(consumers().size(), 1U);
  ASSERT_EQ(js_DeleteConsumer(connection->jetstream(), kExtentStream, consumers()[0].c_str(),
                              nullptr, nullptr),
            NATS_OK);
  store(20);
  EXPECT_EQ(numbers(*reader, 22), from_to(19, 40));
}

TEST_F(NatsOrderedQueueTest, ContinuesAfterRestartOfServer) {
  store(20);
  const auto reader = open();
  EXPECT_EQ(numbers(*reader, 18), from_to(1, 18));
  server.kill();
  server.start();
  EXPECT_EQ(numbers(*reader, 2), from_to(19, 20));
}

TEST_F(NatsOrderedQueueTest, LeavesNoConsumer) {
  store(1);
  {
    const auto reader = open();
    EXPECT_EQ(consumers().size(), 1U);
  }
  EXPECT_EQ(consumers().size(), 0U);
}

TEST_F(NatsOrderedQueueTest, MissingStreamIsReportedWithRemedy) {
  ASSERT_EQ(js_DeleteStream(connection->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  std::string why;
  EXPECT_EQ(NatsOrderedQueue::open(*connection, {}, &why), nullptr);
  EXPECT_NE(why.find("ringship init"), std::string::npos) << why;
}

TEST_F(NatsQueueTest, ReaderGoesOnWithAStreamThatIsCreatedAnew) {
  ASSERT_EQ(publish(outgoing(kSubject, "a", 0, "one")).status, PublishStatus::kStored);
  std::string why;
  const auto reader = NatsOrderedQueue::open(*connection, {}, &why);
  ASSERT_NE(reader, nullptr) << why;
  const std::optional<Delivery> before = reader->next(kBoundMs);
  ASSERT_TRUE(before) << reader->why();
  ASSERT_EQ(js_DeleteStream(connection->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  ASSERT_TRUE(prepare_fleet_streams(*connection, {}, &why)) << why;
  const PublishResult again = publish(outgoing(kSubject, "b", 0, "two"));
  EXPECT_EQ(again.number, before->message.number);
  const std::optional<Delivery> after = reader->next(kBoundMs);
  ASSERT_TRUE(after) << reader->why();
  EXPECT_EQ(after->message.payload, bytes_of("two"));
  EXPECT_GT(after->message.queue_created_ns, before->message.queue_created_ns);
}

}  // namespace
}  // namespace ringside::fleet
