#include "libagent/examples/kvd/resp_reply.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace kvd {
namespace {

TEST(ReplyBuffer, EncodesEveryKindOfReply) {
  ReplyBuffer reply;
  reply.simple("OK");
  reply.error("ERR no");
  reply.integer(std::numeric_limits<std::int64_t>::min());
  reply.array(2);
  reply.bulk("a\r\nb");
  reply.null_bulk();
  EXPECT_EQ(reply.pending(),
            "+OK\r\n-ERR no\r\n:-9223372036854775808\r\n*2\r\n$4\r\na\r\nb\r\n$-1\r\n");
}

TEST(ReplyBuffer, TakesLineEndsOutOfErrors) {
  ReplyBuffer reply;
  reply.error("ERR a\r\n+OK\n");
  EXPECT_EQ(reply.pending(), "-ERR a  +OK \r\n");
}

TEST(ReplyBuffer, KeepsTheRestWhenAPartWasSent) {
  ReplyBuffer reply;
  reply.bulk("abcdef");
  reply.consume(1);
  EXPECT_EQ(reply.pending(), "6\r\nabcdef\r\n");
  reply.consume(9);
  reply.simple("OK");
  EXPECT_EQ(reply.pending(), "\r\n+OK\r\n");
  reply.consume(7);
  EXPECT_EQ(reply.pending_bytes(), 0U);
}

TEST(ReplyBuffer, RefusesWhatExceedsItsLimitAndStaysOverflowed) {
  ReplyBuffer reply(8);
  reply.simple("12345");
  EXPECT_FALSE(reply.overflowed());
  EXPECT_EQ(reply.pending_bytes(), 8U);
  reply.simple("");
  EXPECT_TRUE(reply.overflowed());
  reply.consume(8);
  reply.simple("1");
  EXPECT_TRUE(reply.overflowed());
  EXPECT_EQ(reply.pending_bytes(), 0U);
}

}  // namespace
}  // namespace kvd
