// The stream and the bucket of a fleet.

#include <string>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"
#include "tools/fleet/dead_letters.hpp"
#include "tools/fleet/notice_stream.hpp"

namespace ringside::fleet {
namespace {

TEST_F(NatsQueueTest, MissingStreamIsReported) {
  ASSERT_EQ(js_DeleteStream(connection->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  const PublishResult result = publish(outgoing(kSubject, "a", 0, "one"));
  EXPECT_EQ(result.status, PublishStatus::kUnknown);
  EXPECT_NE(result.why.find("create the stream RS_EXTENTS"), std::string::npos) << result.why;
  StoredMessage last;
  EXPECT_EQ(queue->last_of(kSubject, last), PublishQueue::Found::kUnknown);
  std::string why;
  DeliveryOptions options;
  options.consumer = "sink";
  EXPECT_EQ(NatsDeliveryQueue::open(*connection, options, &why), nullptr);
  EXPECT_NE(why.find("create it with 'ringship init'"), std::string::npos) << why;
}

TEST_F(NatsQueueTest, StreamsAreUpdated) {
  FleetStreamOptions options;
  std::string why;
  publish(outgoing(kSubject, "a", 0, "one"));
  EXPECT_TRUE(prepare_fleet_streams(*connection, options, &why)) << why;
  options.max_age_s = 3600;
  options.max_bytes = 1 << 20;
  options.duplicate_window_s = 60;
  options.max_dictionary_bytes = 1 << 20;
  EXPECT_TRUE(prepare_fleet_streams(*connection, options, &why)) << why;
  for (const char* const name : {kExtentStream, kDictionaryStream}) {
    jsStreamInfo* info = nullptr;
    ASSERT_EQ(js_GetStreamInfo(&info, connection->jetstream(), name, nullptr, nullptr), NATS_OK);
    EXPECT_EQ(info->Config->MaxBytes, 1 << 20);
    EXPECT_EQ(info->Config->MaxAge, name == kExtentStream ? 3600 * 1'000'000'000LL : 0);
    EXPECT_EQ(info->Config->Storage, js_FileStorage);
    jsStreamInfo_Destroy(info);
  }
  StoredMessage last;
  EXPECT_EQ(queue->last_of(kSubject, last), PublishQueue::Found::kYes);
  options.duplicate_window_s = 2 * options.max_age_s;
  EXPECT_FALSE(prepare_fleet_streams(*connection, options, &why));
  EXPECT_NE(why.find("cannot update the stream RS_EXTENTS"), std::string::npos) << why;
}

TEST_F(NatsQueueTest, LimitsThatAreNoOptionsRemain) {
  for (const NoticeStream& stream : {kTriggerStream, kLossStream, kStatusStream}) {
    jsStreamInfo* info = nullptr;
    ASSERT_EQ(js_GetStreamInfo(&info, connection->jetstream(), stream.name, nullptr, nullptr),
              NATS_OK);
    EXPECT_EQ(info->Config->MaxAge, stream.max_age_s * 1'000'000'000);
    EXPECT_EQ(info->Config->MaxMsgsPerSubject, stream.messages_per_subject);
    info->Config->MaxAge = 3600 * 1'000'000'000LL;
    EXPECT_EQ(js_UpdateStream(nullptr, connection->jetstream(), info->Config, nullptr, nullptr),
              NATS_OK);
    jsStreamInfo_Destroy(info);
  }
  std::string why;
  EXPECT_TRUE(prepare_fleet_streams(*connection, {}, &why)) << why;
  for (const NoticeStream& stream : {kTriggerStream, kLossStream, kStatusStream}) {
    jsStreamInfo* info = nullptr;
    ASSERT_EQ(js_GetStreamInfo(&info, connection->jetstream(), stream.name, nullptr, nullptr),
              NATS_OK);
    EXPECT_EQ(info->Config->MaxAge, 3600 * 1'000'000'000LL);
    jsStreamInfo_Destroy(info);
  }
}

TEST_F(NatsQueueTest, StreamThatCannotBeLookedUpIsNotCreated) {
  const auto impatient = connected(server, 200);
  server.stop();
  std::string why;
  EXPECT_FALSE(prepare_notice_stream(*impatient, kStatusStream, 1, &why));
  EXPECT_NE(why.find("cannot look up the stream RS_STATUS"), std::string::npos) << why;
  EXPECT_FALSE(prepare_dead_letters(*impatient, {}, &why));
  EXPECT_NE(why.find("cannot look up the stream RS_DEAD"), std::string::npos) << why;
  server.resume();
}

TEST_F(NatsQueueTest, StreamThatCannotBeChangedIsReported) {
  ASSERT_EQ(js_DeleteStream(connection->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {kExtentSubjects};
  config.Name = kExtentStream;
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_MemoryStorage;
  ASSERT_EQ(js_AddStream(nullptr, connection->jetstream(), &config, nullptr, nullptr), NATS_OK);
  std::string why;
  EXPECT_FALSE(prepare_fleet_streams(*connection, {}, &why));
  EXPECT_NE(why.find("storage in memory, which cannot be changed"), std::string::npos) << why;
}

}  // namespace
}  // namespace ringside::fleet
