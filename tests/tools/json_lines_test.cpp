// Whole traces as JSON lines, also from hostile bytes, read by another implementation.
#include "tools/text/json_lines.hpp"

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/hostile_trace.hpp"
#include "tests/tools/orders_trace.hpp"
#include "tests/tools/printed_lines.hpp"

namespace ringside::tool {
namespace {

using namespace testing;
using nlohmann::json;

TEST(JsonLines, HoldEverythingAboutARecord) {
  const auto lines = printed_lines(orders_trace(), JsonLines());
  ASSERT_GE(lines.size(), 1U);
  EXPECT_EQ(json::parse(lines[0]), json::parse(R"({
    "kind": "record", "time": "2025-11-20T21:35:16.000000001Z", "unix_ns": 1763674516000000001,
    "level": "INFO", "category": "orders", "service": "shop", "pid": 101,
    "thread": {"id": 1001, "name": "main"}, "sequence": 0, "site": 10, "name": "site",
    "file": "src/orders.cpp", "line": 100, "function": "f", "keywords": "0x5",
    "msg": "order 1 filled at 100.25 side B", "format": "order %d filled at %.2f side %s",
    "fields": {"order.id": 1, "price": 100.25, "side": "B"}})"));
}

TEST(JsonLines, CountLosses) {
  const auto lines = printed_lines(orders_trace(), JsonLines());
  ASSERT_GE(lines.size(), 7U);
  EXPECT_EQ(json::parse(lines[6]), json::parse(R"({
    "kind": "loss", "time": "2025-11-20T21:35:23.000000001Z", "unix_ns": 1763674523000000001,
    "count": 12, "cause": "ring_full", "since_unix_ns": 1763674516000000000,
    "service": "shop", "pid": 101,
    "thread": {"id": 1002, "name": "worker-2"}, "sequence": 0})"));
}

TEST(JsonLines, ShowWhatFewRecordsHave) {
  const std::string ids = std::string(16, '\x01') + std::string(16, '\xab');
  const std::uint32_t flags = shm::kExtSubstream | shm::kExtActivity | shm::kExtRelatedActivity |
                              shm::kExtStack | shm::kExtDuration | shm::kExtCut;
  const Bytes file = trace_of(
      {.id = 50, .format = "done"},
      extended_record(
          50, 7, flags,
          raw(std::uint64_t{3}) + ids + raw(std::uint32_t{9}) + raw(std::uint64_t{2'500}), {}) +
          plain_record(50, 8));
  for (const unsigned threads : {1U, 3U}) {
    const auto lines = printed_lines(file, JsonLines(), threads);
    ASSERT_EQ(lines.size(), 2U);
    const json line = json::parse(lines[0]);
    EXPECT_EQ(line["substream"], 3);
    EXPECT_EQ(line["activity"], "01010101010101010101010101010101");
    EXPECT_EQ(line["related"], "abababababababababababababababab");
    EXPECT_EQ(line["stack_id"], 9);
    EXPECT_EQ(line["duration_ns"], 2'500);
    EXPECT_EQ(line["cut"], true);
    EXPECT_FALSE(json::parse(lines[1]).contains("cut"));
  }
}

TEST(JsonLines, GiveEveryFieldANameOfItsOwn) {
  const TestField number{.type = shm::FieldType::u8, .name = "n"};
  TestField unnamed = number;
  unnamed.name.clear();
  TestField taken = number;
  taken.name = "n#2";
  const Bytes file = trace_of({.id = 50,
                               .fields = {number, number, unnamed, taken, number},
                               .format = "%hhu%hhu%hhu%hhu%hhu"},
                              plain_record(50, 7, "\1\2\3\4\5"));
  const auto lines = printed_lines(file, JsonLines());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(json::parse(lines[0])["fields"].dump(),
            R"({"arg3":3,"n":1,"n#2":2,"n#2#2":4,"n#3":5})");
}

TEST(JsonLines, AreValidWhateverTheBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const HostileTrace trace(seed);
    const auto lines = printed_lines(trace.bytes(), JsonLines());
    EXPECT_EQ(lines.size(), trace.records());
    for (const std::string& text : lines) {
      const json line = json::parse(text, nullptr, false);
      ASSERT_FALSE(line.is_discarded()) << text;
      EXPECT_EQ(line["kind"], "record");
      EXPECT_EQ(line["fields"].size(), trace.fields_of(line["site"].get<std::uint32_t>()));
    }
    EXPECT_EQ(printed_lines(trace.bytes(), JsonLines(), 3), lines);
  }
}

}  // namespace
}  // namespace ringside::tool
