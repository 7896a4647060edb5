// Requests of sessions are read strictly.

#include "consumerd/sessions/session_spec.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringside::consumer_test {
namespace {

using consumer::SessionSpec;

nlohmann::json sound_request() {
  return {{"uuid", "00112233445566778899aabbccddeeff"}, {"output", "/traces/one"}};
}

std::string refusal_of(const std::string& text) {
  std::string why;
  return SessionSpec::parse(text, "one", &why) ? "" : why;
}

std::string refusal_with(const char* member, const nlohmann::json& value) {
  nlohmann::json request = sound_request();
  request[member] = value;
  return refusal_of(request.dump());
}

trace::Site site_of(shm::Level level, const std::string& category) {
  trace::Site site;
  site.level = level;
  site.category = category;
  return site;
}

TEST(SessionSpec, TakesAllMembersOfARequest) {
  nlohmann::json request = sound_request();
  request.update({{"service", {"desk*"}},
                  {"pid", 7},
                  {"category", {"db"}},
                  {"level", "debug"},
                  {"where", "price > 3"},
                  {"end_unix_ns", 5},
                  {"rotate_bytes", 6},
                  {"buffer_bytes", 8}});
  std::string why;
  const auto spec = SessionSpec::parse(request.dump(), "one", &why);
  ASSERT_TRUE(spec) << why;
  EXPECT_EQ(spec->name, "one");
  EXPECT_EQ(spec->uuid[1], 0x11);
  EXPECT_EQ(spec->output_dir, "/traces/one");
  EXPECT_EQ(spec->end_unix_ns, 5U);
  EXPECT_EQ(spec->rotate_bytes, 6U);
  EXPECT_EQ(spec->buffer_bytes, 8U);
  EXPECT_NE(spec->condition, nullptr);
  EXPECT_TRUE(spec->is_for("desk1", 7));
  EXPECT_FALSE(spec->is_for("desk1", 8));
  EXPECT_FALSE(spec->is_for("other", 7));
  EXPECT_TRUE(spec->wants(site_of(shm::Level::kDebug, "db")));
  EXPECT_FALSE(spec->wants(site_of(shm::Level::kTrace, "db")));
  EXPECT_FALSE(spec->wants(site_of(shm::Level::kDebug, "net")));
}

TEST(SessionSpec, RefusesWhatIsNotARequest) {
  for (const char* const text : {"", "[]", "1", "{", "{\"uuid\":", "null"}) {
    EXPECT_NE(refusal_of(text), "") << text;
  }
  EXPECT_NE(refusal_of(std::string(60'000, '[')), "");
  EXPECT_NE(refusal_of("{}"), "");
}

TEST(SessionSpec, NamesTheMemberThatIsInvalid) {
  EXPECT_EQ(refusal_with("uuid", "00"), "\"uuid\" must have 32 hexadecimal digits");
  EXPECT_EQ(refusal_with("output", "traces"), "\"output\" must be an absolute path");
  EXPECT_EQ(refusal_with("output", std::string("/a\0b", 4)), "\"output\" contains a zero byte");
  EXPECT_EQ(refusal_with("pid", -1), "\"pid\" must be a whole number from 0");
  EXPECT_EQ(refusal_with("site", "x"), "\"site\" must be an array of at most 256 texts");
  EXPECT_EQ(refusal_with("site", nlohmann::json::array({1})),
            "\"site\" must be an array of at most 256 texts");
  EXPECT_NE(refusal_with("level", "loud").find("\"level\" must be one of"), std::string::npos);
  EXPECT_NE(refusal_with("colour", 1).find("\"colour\" is unknown"), std::string::npos);
  EXPECT_NE(refusal_with("regex", "("), "");
  EXPECT_NE(refusal_with("keyword", nlohmann::json::array({"x"})), "");
  EXPECT_NE(refusal_with("where", "price >"), "");
}

TEST(SessionSpec, RefusesConditionsOnWhatIsNotKnownYet) {
  for (const char* const where : {"seq > 1", "host == 'a'", "unix_ns > 1"}) {
    EXPECT_NE(refusal_with("where", where).find("remove it from --where"), std::string::npos)
        << where;
  }
}

}  // namespace
}  // namespace ringside::consumer_test
