// Arguments that printf itself does not take: any width of integer, texts of C++.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

enum class Side : std::uint8_t { buy = 1, sell = 200 };
enum class Delta : std::int64_t { far = -5'000'000'000 };
struct Constants {
  static const int kWithoutDefinition = 41;
};
struct Order {
  unsigned kind : 3;
};
struct [[gnu::packed]] Packet {
  char first;
  int value;
};

PROCESS_TEST(AcceptedArguments, IntegersKeepTheirWidthAndGetTheSignOfTheConversion) {
  RS_INFO("%d %u %x", std::numeric_limits<std::int64_t>::min(), ~std::uint64_t{0}, -1L);
  EXPECT_EQ(last_values(), (Values{"i64 -9223372036854775808", "u64 18446744073709551615",
                                   "u64 18446744073709551615"}));
  RS_INFO("%d %u", ~std::uint64_t{0}, -1);
  EXPECT_EQ(last_values(), (Values{"i64 -1", "u32 4294967295"}));
  RS_INFO("%ld %lu %zu", -7, 7U, static_cast<short>(8));
  EXPECT_EQ(last_values(), (Values{"i64 -7", "u64 7", "u64 8"}));
}

PROCESS_TEST(AcceptedArguments, EnumerationsWithScopeAreNumbers) {
  RS_INFO("%d %u %d %ld", Side::buy, Side::sell, Delta::far, Side::sell);
  EXPECT_EQ(last_values(), (Values{"i32 1", "u32 200", "i64 -5000000000", "i64 200"}));
}

PROCESS_TEST(AcceptedArguments, TextsOfClassesEndWhereTheyEnd) {
  const std::string text("with\0NUL", 8);
  const char bytes[] = {'n', 'o', ' ', 'e', 'n', 'd'};
  const std::filesystem::path path = "/var/log";
  RS_INFO("%s|%s|%s", text, std::string_view(bytes, sizeof bytes), path);
  EXPECT_EQ(last_values(), (Values{"string " + text, "string no end", "string /var/log"}));
  RS_INFO("%.3s|%.*s|%.*s|%.2s", text, 2, std::string_view("abc"), -1, std::string("all"), path);
  EXPECT_EQ(last_values(),
            (Values{"string wit", "i32 2", "string ab", "i32 -1", "string all", "string /v"}));
  RS_INFO("%s|%s", std::string(), std::string_view());
  EXPECT_EQ(last_values(), (Values{"string ", "string "}));
}

PROCESS_TEST(AcceptedArguments, LongTextsOfClassesAreCutToTheRecord) {
  const std::string text(std::size_t{8} << 20, 'x');
  RS_INFO("%d %s", 5, text);
  const Values values = last_values();
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0], "i32 5");
  EXPECT_GT(values[1].size(), 1000U);
  EXPECT_LT(values[1].size(), text.size());
  EXPECT_EQ(losses(LossCause::too_large), 1U);
}

PROCESS_TEST(AcceptedArguments, NeedNoAddress) {
  Order order{};
  order.kind = 5;
  Packet packet{'p', 77};
  volatile int shared = 3;
  RS_INFO("%d %u %d %d", Constants::kWithoutDefinition, order.kind, packet.value, shared);
  EXPECT_EQ(last_values(), (Values{"i32 41", "u32 5", "i32 77", "i32 3"}));
  RS_INFO("%s %u %d", std::string("text"), order.kind, packet.value);
  EXPECT_EQ(last_values(), (Values{"string text", "u32 5", "i32 77"}));
}

PROCESS_TEST(AcceptedArguments, MacrosAreNotExpandedInNames) {
#define CURRENT_LIMIT (packet_limit + 1)
  const int packet_limit = 3;
  RS_INFO("names %d %d", errno, CURRENT_LIMIT);
  const auto& fields = own_segment().site("names %d %d").fields;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].name, "errno");
  EXPECT_EQ(fields[1].name, "CURRENT_LIMIT");
}

}  // namespace
}  // namespace ringside::test
