// Enumerations, arrays and types with parts, as events and messages in brace style record them.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "libagent/include/ringside/adapt.hpp"
#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace shop {

enum class Side : std::uint8_t { buy = 1, sell = 2, other = 128, largest = 255 };
enum class Signed : std::int8_t { low = -8, zero = 0 };
enum class Status { ok = 200, not_found = 404 };
RS_ENUM_NAMES(Status, ok, not_found)
enum class Port { first = 1000 };
enum Unscoped : int { kPlain = 3 };
enum Open { kOpen = 1 };

struct Point {
  int x;
  double y;
};
RS_ADAPT(Point, x, y)

struct Market {
  struct Quote {
    char symbol[4];  // need not be terminated
    unsigned depth : 5;
    Side side;
    Point at;
    std::vector<int> sizes;
    int level() const { return 9; }
  };
};
RS_ADAPT(Market::Quote, symbol, depth, side, at, sizes, level())

struct Label {
  char symbol[4];  // need not be terminated
  unsigned depth : 5;
};
RS_ADAPT(Label, symbol, depth)

class Money {
 public:
  Money(long units, std::string currency) : units_(units), currency_(std::move(currency)) {}
  long units() const { return units_; }
  std::string currency() const { return currency_; }  // a temporary

 private:
  long units_;
  std::string currency_;
};

}  // namespace shop

template <>
struct ringside::Fields<shop::Money> {
  static constexpr const char* names = "units, currency";
  static constexpr const char* text = "{} {}";
  template <class F>
  static decltype(auto) visit(const shop::Money& money, F&& f) {
    return f(money.units(), money.currency());
  }
};

template <>
struct ringside::EnumRange<shop::Port> {
  static constexpr int min = 900;
  static constexpr int max = 1100;
};

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;
using Names = std::map<std::int64_t, std::string>;

std::vector<std::string> names_of(const Site& site) {
  std::vector<std::string> names;
  for (const Field& field : site.fields) names.push_back(field.name);
  return names;
}

Names enumeration_of(const std::string& format, std::size_t field = 0) {
  return own_segment().enumeration(own_segment().site(format).fields.at(field).enum_table_id);
}

PROCESS_TEST(EnumNames, AreFoundWithinTheRangeAndAmongPowersOfTwo) {
  RS_EVENT(INFO, "sides", shop::Side::sell, shop::Signed::low);
  EXPECT_EQ(last_values(), (Values{"enum 2", "enum -8"}));
  // 255 is neither.
  EXPECT_EQ(enumeration_of("sides"), (Names{{1, "buy"}, {2, "sell"}, {128, "other"}}));
  EXPECT_EQ(enumeration_of("sides", 1), (Names{{-8, "low"}, {0, "zero"}}));
  RS_EVENT(INFO, "port", shop::Port::first);
  EXPECT_EQ(enumeration_of("port"), (Names{{1000, "first"}}));
}

PROCESS_TEST(EnumNames, CanBeListed) {
  RS_EVENT(INFO, "status", shop::Status::not_found);
  EXPECT_EQ(last_values(), (Values{"enum 404"}));
  EXPECT_EQ(enumeration_of("status"), (Names{{200, "ok"}, {404, "not_found"}}));
}

PROCESS_TEST(EnumNames, AreStoredOncePerType) {
  RS_EVENT(INFO, "a", shop::Side::buy);
  RS_FMT(INFO, "b {} {}", shop::Side::buy, 1);
  RS_INFO("c %s", shop::Side::sell);
  EXPECT_EQ(last_values(), (Values{"enum 2"}));
  const std::uint32_t table = own_segment().site("a").fields[0].enum_table_id;
  EXPECT_NE(table, 0U);
  EXPECT_EQ(own_segment().site("b {0} {1}").fields[0].enum_table_id, table);
  EXPECT_EQ(own_segment().site("c %s").fields[0].enum_table_id, table);
}

PROCESS_TEST(EnumNames, ANumberIsRecordedForDecimalConversions) {
  RS_INFO("%d %u", shop::Side::sell, shop::Status::ok);
  EXPECT_EQ(last_values(), (Values{"i32 2", "u32 200"}));
}

PROCESS_TEST(EnumNames, EnumerationsWithoutScopeNeedAFixedType) {
  RS_EVENT(INFO, "unscoped", shop::kPlain, shop::kOpen);
  EXPECT_EQ(last_values(), (Values{"enum 3", "u32 1"}));
}

PROCESS_TEST(EnumNames, AChildOfAForkStoresThemInItsOwnSegment) {
  RS_EVENT(INFO, "forked", shop::Side::buy);
  const pid_t child = fork();
  if (child == 0) {
    RS_EVENT(INFO, "in child", shop::Side::buy);
    SegmentReader segment(status().segment_path);
    const std::uint32_t table = segment.site("in child").fields[0].enum_table_id;
    _exit(segment.enumeration(table).size() == 3 ? 0 : 1);
  }
  int result = -1;
  waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
}

PROCESS_TEST(Arrays, HaveTheTypeOfTheirElements) {
  const std::vector<std::uint16_t> vector{1, 2};
  const int c_array[] = {-1, 5};
  const std::array<double, 1> array{2.5};
  const std::vector<bool> flags{true, false};
  RS_EVENT(INFO, "numbers", vector, c_array, array, flags, std::span<const int>(c_array, 1),
           (std::initializer_list<char>{'a'}), std::deque<long>{7, 8});
  EXPECT_EQ(last_values(), (Values{"[u16 1, u16 2]", "[i32 -1, i32 5]", "[f64 2.5]",
                                   "[bool 1, bool 0]", "[i32 -1]", "[char 97]", "[i64 7, i64 8]"}));
  const std::vector<std::string> strings{"one", "", std::string("a\0b", 3)};
  const char* const texts[] = {"x", nullptr};
  RS_EVENT(INFO, "texts", strings, texts, std::list<std::string_view>{"v"});
  EXPECT_EQ(last_values(), (Values{std::string("[string one, string , string a\0b]", 33),
                                   "[string x, string (null)]", "[string v]"}));
  RS_EVENT(INFO, "others", (std::vector<shop::Side>{shop::Side::sell}),
           (std::vector<long double>{1.5L}), std::vector<detail::Int128>{1});
  EXPECT_EQ(last_values(),
            (Values{"[u8 2]", "[f80 1.5]", "[i128 0x00000000000000000000000000000001]"}));
}

PROCESS_TEST(Arrays, CanBeEmpty) {
  RS_FMT(INFO, "{} {} {}", std::vector<int>(), std::vector<std::string>(), std::span<double>());
  EXPECT_EQ(last_values(), (Values{"[]", "[]", "[]"}));
}

PROCESS_TEST(Arrays, OfBytesAreBytes) {
  const std::vector<std::byte> data{std::byte{65}, std::byte{66}};
  RS_EVENT(INFO, "bytes", data, std::span<const std::byte>(), std::byte{7});
  EXPECT_EQ(last_values(), (Values{"bytes AB", "bytes ", "u8 7"}));
}

PROCESS_TEST(Arrays, OfARecordThatIsTooLargeLoseTheirLastElements) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::vector<std::uint64_t> numbers(10'000, 5);
  RS_EVENT(INFO, "huge", 1.5, numbers, RS_NAMED("after", getppid()));
  Values values = last_values();
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[1], "i32 " + std::to_string(getppid()));
  const auto elements =
      static_cast<std::size_t>(std::count(values[0].begin(), values[0].end(), '5'));
  EXPECT_GT(elements, 16'000U / 8);
  EXPECT_LE(elements, 16'384U / 8);
  const std::vector<std::string> texts(5'000, "abc");
  const std::vector<std::byte> bytes(20'000, std::byte{'x'});
  RS_EVENT(INFO, "huge texts", texts, bytes);
  values = last_values();
  EXPECT_EQ(values[0].compare(0, 24, "[string abc, string abc,"), 0);
  EXPECT_EQ(values[0].substr(values[0].size() - 11), "string abc]");
  EXPECT_GT(values[1].size(), 4'000U);
  EXPECT_EQ(losses(LossCause::too_large), 2U);
  RS_EVENT(INFO, "next", numbers.size());
  EXPECT_EQ(last_values(), (Values{"u64 10000"}));
}

PROCESS_TEST(Arrays, AreWalkedOverWhenTheirRingIsOverwritten) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  const std::vector<std::string> texts{"one", "three", ""};
  const std::vector<std::uint32_t> numbers{1, 2, 3};
  constexpr std::uint64_t kRecords = 10'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    RS_EVENT(INFO, "walked", i, texts, "literal", numbers, std::span<const std::byte>(), 5);
  }
  const shm::ProducerLine& line = own_segment().ring(0).producer;
  const shm::OldestRecords oldest = shm::load_oldest(line.oldest).value();
  EXPECT_GT(oldest.sequence, 0U);
  std::size_t kept = 0;
  for (const Record& record :
       own_segment().records(0, oldest.pos, line.producer_pos.load(std::memory_order_acquire))) {
    if (!record.is_data()) continue;
    EXPECT_EQ(record.values.at(0), "u64 " + std::to_string(oldest.sequence + kept++));
  }
  EXPECT_EQ(oldest.sequence + kept, kRecords);
}

PROCESS_TEST(Composites, HaveAFieldForEachPart) {
  const shop::Point p{1, 2.5};
  RS_EVENT(INFO, "point", p, RS_NAMED("to", shop::Point{3, 4.5}), p.x);
  EXPECT_EQ(last_values(), (Values{"i32 1", "f64 2.5", "i32 3", "f64 4.5", "i32 1"}));
  EXPECT_EQ(names_of(own_segment().site("point")), (Values{"p.x", "p.y", "to.x", "to.y", "p.x_2"}));
}

PROCESS_TEST(Composites, CanBeNested) {
  shop::Market::Quote quote{{'A', 'B', 'C', 'D'}, 17, shop::Side::buy, {1, 2.5}, {4, 5}};
  RS_EVENT(INFO, "quote", quote);
  EXPECT_EQ(last_values(), (Values{"string ABCD", "u32 17", "enum 1", "i32 1", "f64 2.5",
                                   "[i32 4, i32 5]", "i32 9"}));
  EXPECT_EQ(names_of(own_segment().site("quote")),
            (Values{"quote.symbol", "quote.depth", "quote.side", "quote.at.x", "quote.at.y",
                    "quote.sizes", "quote.level"}));
  EXPECT_EQ(enumeration_of("quote", 2).at(1), "buy");
}

PROCESS_TEST(Composites, CanBeSpecialised) {
  RS_FMT(INFO, "paid {}", shop::Money(5, "a currency that is not short"));
  EXPECT_EQ(last_values(), (Values{"i64 5", "string a currency that is not short"}));
  EXPECT_EQ(own_segment().count_sites("paid {0} {1}"), 1U);
}

PROCESS_TEST(Composites, OfTheStandardLibrary) {
  using std::chrono::milliseconds;
  RS_EVENT(INFO, "pairs", std::pair<int, std::string>(1, "x"), std::tuple<bool, char>(true, 'c'),
           RS_NAMED("m", std::map<std::string, int>{{"k", 1}, {"l", 2}}));
  EXPECT_EQ(last_values(), (Values{"i32 1", "string x", "bool 1", "char 99", "[string k, string l]",
                                   "[i32 1, i32 2]"}));
  const Values names = names_of(own_segment().site("pairs"));
  EXPECT_EQ((Values{names.end() - 2, names.end()}), (Values{"m.keys", "m.values"}));
  const milliseconds wait(5);
  const std::chrono::time_point<std::chrono::system_clock, milliseconds> at(milliseconds(9));
  const std::error_code error = std::make_error_code(std::errc::timed_out);
  RS_EVENT(INFO, "times", wait, at, error);
  EXPECT_EQ(last_values(), (Values{"i64 5", "i64 9", "string generic", "i32 110"}));
  EXPECT_EQ(names_of(own_segment().site("times")),
            (Values{"wait.ms", "at.ms", "error.category", "error.value"}));
}

#ifdef __cpp_lib_source_location  // clang 14 has no std::source_location
PROCESS_TEST(Composites, OfASourceLocation) {
  const auto here = std::source_location::current();
  RS_EVENT(INFO, "place", here);
  EXPECT_EQ(last_values().at(1), "u32 " + std::to_string(here.line()));
}
#endif

PROCESS_TEST(Composites, WhatMayBeAbsentIsAnArrayOfAtMostOneElement) {
  const std::unique_ptr<int> none;
  RS_EVENT(INFO, "absent", std::optional<int>(4), std::optional<std::string>(), none,
           std::make_shared<double>(2.5));
  EXPECT_EQ(last_values(), (Values{"[i32 4]", "[]", "[]", "[f64 2.5]"}));
}

PROCESS_TEST(Composites, InArraysHaveAnArrayForEachPart) {
  using std::chrono::milliseconds;
  const std::vector<shop::Point> points{{1, 2.5}, {3, 4.5}};
  const milliseconds waits[] = {milliseconds(5), milliseconds(7)};
  const std::vector<std::pair<std::string, shop::Point>> pairs{{"a", {5, 6.5}}};
  RS_EVENT(INFO, "arrays", points, waits, pairs);
  EXPECT_EQ(last_values(), (Values{"[i32 1, i32 3]", "[f64 2.5, f64 4.5]", "[i64 5, i64 7]",
                                   "[string a]", "[i32 5]", "[f64 6.5]"}));
  EXPECT_EQ(names_of(own_segment().site("arrays")),
            (Values{"points.x", "points.y", "waits.ms", "pairs.first", "pairs.second.x",
                    "pairs.second.y"}));
  const std::map<int, shop::Point> map{{1, {2, 3.5}}};
  RS_EVENT(INFO, "map", map);
  EXPECT_EQ(last_values(), (Values{"[i32 1]", "[i32 2]", "[f64 3.5]"}));
  // Bit-fields, texts without a terminator, and temporaries.
  const std::vector<shop::Label> labels{{{'A', 'B', 'C', 'D'}, 17}, {"E", 1}};
  const std::deque<shop::Money> money{{5, "a currency that is not short"}, {6, "b"}};
  RS_EVENT(INFO, "parts", labels, money);
  EXPECT_EQ(last_values(), (Values{"[string ABCD, string E]", "[u32 17, u32 1]", "[i64 5, i64 6]",
                                   "[string a currency that is not short, string b]"}));
}

PROCESS_TEST(Composites, ThatMayBeAbsentHaveAnArrayForEachPart) {
  const std::unique_ptr<shop::Point> none;
  RS_EVENT(INFO, "absent", std::optional<shop::Point>({1, 2.5}), none);
  EXPECT_EQ(last_values(), (Values{"[i32 1]", "[f64 2.5]", "[]", "[]"}));
  const std::optional<std::vector<int>> numbers(std::in_place, {4, 5});
  const std::shared_ptr<std::list<std::string>> texts;
  RS_EVENT(INFO, "absent arrays", numbers, texts, std::make_unique<std::optional<int>>(6));
  EXPECT_EQ(last_values(), (Values{"[i32 4, i32 5]", "[]", "[i32 6]"}));
}

// Its copy throws: an assignment leaves a variant without a value.
struct Thrower {
  Thrower() = default;
  Thrower(const Thrower& /*other*/) { throw 1; }
};

PROCESS_TEST(Composites, AVariantHasAnArrayForEachAlternative) {
  using Any = std::variant<std::monostate, int, std::string, shop::Point, std::vector<std::byte>>;
  Any any;
  const auto record = [&any] { RS_EVENT(INFO, "any", any); };
  record();
  EXPECT_EQ(last_values(), (Values{"[]", "[]", "[]", "[]", "bytes ", "i8 0"}));
  EXPECT_EQ(names_of(own_segment().site("any")),
            (Values{"any.1", "any.2", "any.3.x", "any.3.y", "any.4", "any.index"}));
  any = std::string("text");
  record();
  EXPECT_EQ(last_values(), (Values{"[]", "[string text]", "[]", "[]", "bytes ", "i8 2"}));
  any = shop::Point{1, 2.5};
  record();
  EXPECT_EQ(last_values(), (Values{"[]", "[]", "[i32 1]", "[f64 2.5]", "bytes ", "i8 3"}));
  any = std::vector<std::byte>{std::byte{'x'}};
  record();
  EXPECT_EQ(last_values(), (Values{"[]", "[]", "[]", "[]", "bytes x", "i8 4"}));
  std::variant<int, Thrower> lost;
  const Thrower thrower;
  EXPECT_ANY_THROW(lost.emplace<1>(thrower));
  RS_FMT(INFO, "{} then {}", lost, 5);
  EXPECT_EQ(last_values(), (Values{"[]", "i8 -1", "i32 5"}));
  EXPECT_EQ(own_segment().count_sites("{0:n:} then {2}"), 1U);
}

PROCESS_TEST(Composites, APlaceholderBecomesThoseOfItsFields) {
  const shop::Point p{1, 2.5};
  const int width = 5;
  RS_FMT(INFO, "{{}} {} {:>{}} {}", p, width, width, std::chrono::seconds(3));
  EXPECT_EQ(last_values(), (Values{"i32 1", "f64 2.5", "i32 5", "i32 5", "i64 3"}));
  EXPECT_EQ(own_segment().count_sites("{{}} (x={0}, y={1}) {2:>{3}} {4}s"), 1U);
  RS_FMT(INFO, "{1:d} at {0} or {p}, {w:{1}.{1}f}", p, 2, RS_NAMED("w", 1.5));
  EXPECT_EQ(own_segment().count_sites("{2:d} at (x={0}, y={1}) or (x={0}, y={1}), {3:{2}.{2}f}"),
            1U);
}

}  // namespace
}  // namespace ringside::test
