// Answers of servers to published messages.

#include "tools/fleet/publish_answer.hpp"

#include <string>

#include <gtest/gtest.h>

namespace ringside::fleet {
namespace {

TEST(PublishAnswerTest, ReadsNumber) {
  for (const char* const answer :
       {R"({"stream":"RS_EXTENTS","seq":18446744073709551615})",
        R"({"stream":"RS_EXTENTS","seq":18446744073709551615,"duplicate":true})"}) {
    const PublishResult result = read_publish_answer(7, answer);
    EXPECT_EQ(result.token, 7U);
    EXPECT_EQ(result.status, PublishStatus::kStored);
    EXPECT_EQ(result.number, 18'446'744'073'709'551'615U);
  }
}

TEST(PublishAnswerTest, DistinguishesErrors) {
  const auto status = [](int code) {
    const PublishResult result = read_publish_answer(
        7, R"({"error":{"code":400,"err_code":)" + std::to_string(code) +
               R"(,"description":"the reason"},"stream":"RS_EXTENTS","seq":3})");
    EXPECT_NE(result.why.find("the reason"), std::string::npos) << result.why;
    return result.status;
  };
  EXPECT_EQ(status(10'071), PublishStatus::kOtherLast);
  EXPECT_EQ(status(10'164), PublishStatus::kOtherLast);
  EXPECT_EQ(status(10'054), PublishStatus::kRefused);
  EXPECT_EQ(status(10'097), PublishStatus::kRefused);
  EXPECT_EQ(status(10'077), PublishStatus::kUnknown);
  EXPECT_EQ(status(0), PublishStatus::kUnknown);
}

TEST(PublishAnswerTest, MalformedAnswerLeavesStatusUnknown) {
  for (const char* const answer :
       {"", "no JSON", "[]", "{}", R"({"seq":0})", R"({"seq":-1})", R"({"seq":"1"})",
        R"({"seq":1.5})", R"({"error":{}})", R"({"error":{"err_code":"10071","description":5}})"}) {
    const PublishResult result = read_publish_answer(7, answer);
    EXPECT_EQ(result.token, 7U);
    EXPECT_EQ(result.status, PublishStatus::kUnknown) << answer;
    EXPECT_NE(result.why, "") << answer;
  }
}

}  // namespace
}  // namespace ringside::fleet
