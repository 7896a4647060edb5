// The codecs that the compression study compares with restore what they encode.
#include "perf/compression/integer_codes.hpp"

#include <gtest/gtest.h>

#include "ring_bytes.hpp"

namespace ringside::trace::testing {
namespace {

struct Coded {
  unsigned tag = 0;
  std::size_t bytes = 0;
  std::uint64_t rest = 0;

  bool operator==(const Coded&) const = default;
};

Coded nanolog(std::uint64_t value) {
  std::byte out[16]{};
  std::byte* end = out;
  Coded coded;
  coded.tag = perf::put_nanolog(value, end);
  coded.bytes = static_cast<std::size_t>(end - out);
  for (std::size_t i = 0; i < coded.bytes; ++i) {
    coded.rest |= static_cast<std::uint64_t>(out[i]) << (8 * i);
  }
  return coded;
}

TEST(NanoLogCode, EqualsTheSourcesTable) {
  EXPECT_EQ(nanolog(100), (Coded{1, 1, 100}));
  EXPECT_EQ(nanolog(1), (Coded{1, 1, 1}));
  EXPECT_EQ(nanolog(std::uint64_t{0} - 1), (Coded{9, 1, 1}));
  EXPECT_EQ(nanolog(50000), (Coded{2, 2, 50000}));
  EXPECT_EQ(nanolog(std::uint64_t{0} - 50000), (Coded{10, 2, 50000}));
  EXPECT_EQ(nanolog(std::uint64_t{1} << 62), (Coded{8, 8, std::uint64_t{1} << 62}));
  EXPECT_EQ(nanolog(std::uint64_t{0} - (std::uint64_t{1} << 62)),
            (Coded{8, 8, std::uint64_t{3} << 62}));
}

TEST(Leb128Code, TakesSevenBitsAByte) {
  std::byte out[16]{};
  std::byte* end = out;
  perf::put_leb128(300, end);
  ASSERT_EQ(end - out, 2);
  EXPECT_EQ(out[0], std::byte{0xAC});
  EXPECT_EQ(out[1], std::byte{0x02});
}

}  // namespace
}  // namespace ringside::trace::testing
