// Types with parts, arrays and enumerations as operands of streams.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/adapt.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/stream.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"

namespace {

bool is_counting = false;
int allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (is_counting) ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

enum class Side : std::uint8_t { buy = 1, sell = 2 };
struct Place {
  int x;
  int y;
};
RS_ADAPT(Place, x, y)
struct Trade {
  Place at;
  Side side;
  std::vector<int> sizes;
};
RS_ADAPT(Trade, at, side, sizes)

// The statement of the last record of the calling thread.
Site last_site() {
  SegmentReader& segment = own_segment();
  return segment.sites().at(segment.data(segment.my_ring()).back().code);
}

PROCESS_TEST(StreamValue, HasPartsElementsAndNames) {
  const Trade trade{{1, 2}, Side::buy, {4, 5}};
  const std::chrono::milliseconds wait(12);
  RS_STREAM(INFO) << "trade " << trade << " after " << wait << " by " << Side::sell << ' ' << 2.5;
  EXPECT_EQ(last_values(), (Values{"i32 1", "i32 2", "enum 1", "[i32 4, i32 5]", "i64 12", "enum 2",
                                   "char 32", "f64 2.5"}));
  EXPECT_EQ(last_site().format,
            "trade (at=(x={0}, y={1}), side={2}, sizes={3}) after {4}ms by {5}{6}{7:g}");
  const Site site = last_site();
  std::vector<std::string> names;
  for (const Field& field : site.fields) names.push_back(field.name);
  EXPECT_EQ(names, (Values{"arg1.at.x", "arg1.at.y", "arg1.side", "arg1.sizes", "arg2.ms", "arg3",
                           "arg4", "arg5"}));
  EXPECT_EQ(own_segment().enumeration(site.fields[5].enum_table_id),
            (std::map<std::int64_t, std::string>{{1, "buy"}, {2, "sell"}}));
  // Temporaries live until the end of the statement.
  RS_STREAM(INFO) << std::vector<std::string>{"a", "a text that is not short"}
                  << std::optional<int>() << std::pair<std::string, int>("b", 3);
  EXPECT_EQ(last_values(),
            (Values{"[string a, string a text that is not short]", "[]", "string b", "i32 3"}));
}

PROCESS_TEST(StreamValue, DoesNotAllocateAtItsFirstExecution) {
  init(Options{});
  const Trade trade{{1, 2}, Side::buy, {}};
  allocations = 0;
  in_handler([&trade] {
    is_counting = true;
    RS_STREAM(INFO) << "a text that is not short: " << trade << " and " << trade;
    is_counting = false;
  });
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(last_values().size(), 8U);
}

PROCESS_TEST(StreamValue, StandsBesideTextsThatChange) {
  const Trade trade{{1, 2}, Side::buy, {}};
  for (const char first : {'a', 'b'}) {
    const char text[] = {first, '\0'};
    RS_STREAM(INFO) << text << trade << 7;
    EXPECT_EQ(last_values(),
              (Values{std::string("string ") + first, "i32 1", "i32 2", "enum 1", "[]", "i32 7"}));
    EXPECT_EQ(last_site().format, "{0}(at=(x={1}, y={2}), side={3}, sizes={4}){5}");
  }
}

}  // namespace
}  // namespace ringside::test
