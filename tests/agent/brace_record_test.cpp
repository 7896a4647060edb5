// What the brace front end writes into a ring and into the dictionary.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/format_style.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

enum class Side : std::uint8_t { buy = 1, sell = 200 };
struct Order {
  unsigned kind : 3;
};

PROCESS_TEST(BraceRecord, KeepsTheTypesOfArguments) {
  RS_FMT(INFO, "{} {} {} {}", std::int8_t{-1}, std::uint16_t{65535}, -5, ~std::uint64_t{0});
  EXPECT_EQ(last_values(), (Values{"i8 -1", "u16 65535", "i32 -5", "u64 18446744073709551615"}));
  RS_FMT(INFO, "{} {} {}", true, 'x', Side::sell);
  EXPECT_EQ(last_values(), (Values{"bool 1", "char 120", "enum 200"}));
  RS_FMT(INFO, "{} {:.3f} {:g}", 1.5F, 0.1, 2.5L);
  EXPECT_EQ(last_values(), (Values{"f32 1.5", "f64 0.10000000000000001", "f80 2.5"}));
  RS_FMT(INFO, "{} {:x}", static_cast<detail::Int128>(-1), static_cast<detail::UInt128>(15) << 64U);
  EXPECT_EQ(last_values(), (Values{"i128 0xffffffffffffffffffffffffffffffff",
                                   "u128 0x000000000000000f0000000000000000"}));
  const std::filesystem::path path = "/var/log";
  RS_FMT(INFO, "{} {} {:.2} {}", "C", std::string("with\0NUL", 8), std::string_view("view"), path);
  EXPECT_EQ(last_values(), (Values{"string C", std::string("string with\0NUL", 15), "string view",
                                   "string /var/log"}));
  RS_FMT(INFO, "{} {}", static_cast<const char*>(nullptr), nullptr);
  EXPECT_EQ(last_values(), (Values{"string (null)", "pointer 0"}));
}

PROCESS_TEST(BraceRecord, TakesTextsOfUtf8Characters) {
  RS_FMT(INFO, "{} {}", u8"größe", std::u8string_view(u8"€"));
  EXPECT_EQ(last_values(), (Values{"string größe", "string €"}));
}

PROCESS_TEST(BraceRecord, TakesPositionsNamesAndSizes) {
  Order order{};
  order.kind = 5;
  RS_FMT(INFO, "{1} {0:>{2}} {kind}", "a", 2, 9, RS_NAMED("kind", order.kind));
  EXPECT_EQ(last_values(), (Values{"string a", "i32 2", "i32 9", "u32 5"}));
  const auto site = own_segment().site("{1} {0:>{2}} {kind}");
  ASSERT_EQ(site.fields.size(), 4U);
  EXPECT_EQ(site.fields[3].name, "kind");
}

PROCESS_TEST(BraceRecord, RecordsNamedArgumentsWithoutAPlaceholder) {
  const int quantity = 7;
  RS_FMT(NOTICE, "{{}} filled", RS_NAMED("qty", quantity), RS_NAMED("px", 1.25));
  EXPECT_EQ(last_values(), (Values{"i32 7", "f64 1.25"}));
  const auto site = own_segment().site("{{}} filled");
  ASSERT_EQ(site.fields.size(), 2U);
  EXPECT_EQ(site.fields[0].name, "qty");
  EXPECT_EQ(site.fields[1].name, "px");
}

PROCESS_TEST(BraceRecord, FindsArgumentsWithinRsArgByTheirOwnName) {
  const std::string user = "ann";
  const int attempt = 3;
  RS_FMT(INFO, "payment of {user}, attempt {attempt:d}", RS_ARG(user), RS_ARG(attempt));
  EXPECT_EQ(last_values(), (Values{"string ann", "i32 3"}));
  const auto site = own_segment().site("payment of {user}, attempt {attempt:d}");
  ASSERT_EQ(site.fields.size(), 2U);
  EXPECT_EQ(site.fields[0].name, "user");
  EXPECT_EQ(site.fields[1].name, "attempt");
}

PROCESS_TEST(BraceRecord, FindsArgumentsByTheirOwnName) {
  const std::string user = "ann";
  RS_FMT(INFO, "{user} paid {amount:.2f}", user, RS_NAMED("amount", 12.5));
  EXPECT_EQ(last_values(), (Values{"string ann", "f64 12.5"}));
}

// The compiler and the reader must take the same argument.
PROCESS_TEST(BraceRecord, FindsTheArgumentThatIsTheNameBesideADerivedOne) {
  const double x = 2.5;
  RS_FMT(INFO, "{x} {0}", static_cast<int>(x), x);
  const auto site = own_segment().site("{x} {0}");
  ASSERT_EQ(site.fields.size(), 2U);
  EXPECT_EQ(site.fields[0].name, "x_2");
  EXPECT_EQ(site.fields[1].name, "x");
}

PROCESS_TEST(BraceRecord, FindsNamesAmongLiteralsAndTemplates) {
  const std::pair<int, int> pair(1, 2);
  const std::pair<int, int>* const first = &pair;
  const int user = 7;
  RS_FMT(INFO, R"({user} {} {})", R"x(a", ")b)x", u8R"(,)", user);
  EXPECT_EQ(last_values(), (Values{"string a\", \")b", "string ,", "i32 7"}));
  // clang-format off
  RS_FMT(INFO, "{user} {who} {}", std::pair<int, int>(3, 4).first + first->second, RS_NAMED ( "who", 1'000 ), user);
  // clang-format on
  EXPECT_EQ(last_values(), (Values{"i32 5", "i32 1000", "i32 7"}));
}

PROCESS_TEST(BraceRecord, TakesNoBytesFromAViewWithoutAnAddress) {
  struct Faulty {
    using traits_type = std::string_view::traits_type;
    static const char* data() { return nullptr; }
    static std::size_t size() { return 5; }
  };
  RS_FMT(INFO, "{}", Faulty());
  EXPECT_EQ(last_values(), Values{"string "});
}

PROCESS_TEST(BraceRecord, HasALevelEach) {
  RS_FMT_TRACE("t");
  RS_FMT_DEBUG("d");
  RS_FMT_INFO("i");
  RS_FMT_NOTICE("n");
  RS_FMT_WARNING("w");
  RS_FMT_ERROR("e");
  RS_FMT_CRITICAL("c");
  int level = RS_LEVEL_TRACE;
  for (const char* const format : {"t", "d", "i", "n", "w", "e", "c"}) {
    EXPECT_EQ(static_cast<int>(own_segment().site(format).level), level++) << format;
  }
}

}  // namespace
}  // namespace ringside::test
