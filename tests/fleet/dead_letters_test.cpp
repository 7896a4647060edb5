#include "tools/fleet/dead_letters.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"

namespace ringside::fleet {
namespace {

constexpr const char* kLetterOf = "rs.ext.acme.host7.desk.00000000000000000000000000000001";

struct Letter {
  std::string subject;
  std::string reason;
  std::string original;
  std::string number;
  std::string bytes;
  std::size_t payload_bytes = 0;
};

std::optional<Letter> stored_letter(NatsConnection& connection, std::uint64_t number) {
  natsMsg* message = nullptr;
  if (js_GetMsg(&message, connection.jetstream(), kDeadLetterStream, number, nullptr, nullptr) !=
      NATS_OK)
    return std::nullopt;
  const auto header = [message](const char* name) {
    const char* value = nullptr;
    return natsMsgHeader_Get(message, name, &value) == NATS_OK ? std::string(value)
                                                               : std::string("none");
  };
  Letter letter{
      natsMsg_GetSubject(message), header("Ringside-Reason"),
      header("Ringside-Subject"),  header("Ringside-Sequence"),
      header("Ringside-Bytes"),    static_cast<std::size_t>(natsMsg_GetDataLength(message))};
  natsMsg_Destroy(message);
  return letter;
}

TEST_F(NatsQueueTest, DeadLetterIsStoredOnceWithItsReason) {
  const StoredMessage message{42, kLetterOf, Bytes(10)};
  std::string error;
  ASSERT_TRUE(store_dead_letter(*connection, message, "two\r\nlines", &error)) << error;
  ASSERT_TRUE(store_dead_letter(*connection, message, "another reason", &error)) << error;
  const auto letter = stored_letter(*connection, 1);
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->subject, "rs.dead.acme.host7");
  EXPECT_EQ(letter->reason.substr(0, 3), "two");
  EXPECT_EQ(letter->reason.find('\n'), std::string::npos);
  EXPECT_EQ(letter->original, kLetterOf);
  EXPECT_EQ(letter->number, "42");
  EXPECT_EQ(letter->bytes, "10");
  EXPECT_EQ(letter->payload_bytes, 10U);
  EXPECT_FALSE(stored_letter(*connection, 2));
}

TEST_F(NatsQueueTest, DeadLetterIsCutIfItsHeadersLeaveNoRoom) {
  const auto most = static_cast<std::size_t>(natsConnection_GetMaxPayload(connection->handle()));
  std::string error;
  ASSERT_TRUE(
      store_dead_letter(*connection, {7, kLetterOf, Bytes(most)}, std::string(5000, 'x'), &error))
      << error;
  const auto letter = stored_letter(*connection, 1);
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->bytes, std::to_string(most));
  EXPECT_LT(letter->payload_bytes, most);
  EXPECT_GT(letter->payload_bytes, most - 17'000);
}

TEST_F(NatsQueueTest, DeadLetterHasRoomForLongSubjects) {
  const auto most = static_cast<std::size_t>(natsConnection_GetMaxPayload(connection->handle()));
  const std::string subject = "rs.ext.acme.host7." + std::string(3500, 's') + ".1";
  std::string error;
  EXPECT_TRUE(
      store_dead_letter(*connection, {7, subject, Bytes(most)}, std::string(500, '\x01'), &error))
      << error;
}

TEST_F(NatsQueueTest, DeadLetterWithoutStreamIsReported) {
  ASSERT_EQ(js_DeleteStream(connection->jetstream(), kDeadLetterStream, nullptr, nullptr), NATS_OK);
  std::string error;
  EXPECT_FALSE(store_dead_letter(*connection, {1, kLetterOf, Bytes(1)}, "invalid", &error));
  EXPECT_NE(error.find("check that 'ringship init' has created the stream"), std::string::npos)
      << error;
}

TEST_F(NatsQueueTest, LimitsOfDeadLettersAreUpdated) {
  FleetStreamOptions options;
  options.max_dead_age_s = 60;
  options.max_dead_bytes = 12345;
  std::string why;
  ASSERT_TRUE(prepare_dead_letters(*connection, options, &why)) << why;
  ASSERT_TRUE(prepare_dead_letters(*connection, options, &why)) << why;
  jsStreamInfo* info = nullptr;
  ASSERT_EQ(js_GetStreamInfo(&info, connection->jetstream(), kDeadLetterStream, nullptr, nullptr),
            NATS_OK);
  EXPECT_EQ(info->Config->MaxAge, 60 * 1'000'000'000LL);
  EXPECT_EQ(info->Config->MaxBytes, 12345);
  jsStreamInfo_Destroy(info);
}

}  // namespace
}  // namespace ringside::fleet
