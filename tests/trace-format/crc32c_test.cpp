#include "trace-format/blocks/crc32c.hpp"

#include <random>

#include <gtest/gtest.h>

#include "ring_bytes.hpp"

namespace ringside::trace::testing {
namespace {

TEST(Crc32c, GivesTheCheckValueOfTheStandard) {
  for (const Crc32c version : crc32c_versions()) {
    EXPECT_EQ(version(0, as_bytes("123456789")), 0xE3069283U);
    // RFC 3720, appendix B.4: 32 bytes of zeros.
    EXPECT_EQ(version(0, Bytes(32)), 0x8A9136AAU);
  }
}

TEST(Crc32c, IsTheSameInAllVersionsForAllLengthsAndOffsets) {
  std::mt19937_64 random(1);
  Bytes bytes(20000);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  const Crc32c portable = crc32c_versions().front();
  for (int i = 0; i < 3000; ++i) {
    const std::size_t offset = random() % 64;
    const std::size_t length = random() % (i % 10 == 0 ? 19000 : i % 3 == 0 ? 1200 : 300);
    const auto part = std::span<const std::byte>(bytes).subspan(offset, length);
    const std::uint32_t expected = portable(7, part);
    ASSERT_EQ(crc32c(7, part), expected) << offset << " " << length;
    for (const Crc32c version : crc32c_versions()) {
      ASSERT_EQ(version(7, part), expected) << offset << " " << length;
    }
  }
}

TEST(Crc32c, ContinuesWhereItStopped) {
  const std::string text(10000, 'x');
  const std::uint32_t whole = crc32c(0, as_bytes(text));
  for (const std::size_t cut : {0U, 1U, 7U, 8U, 3071U, 3072U, 9999U}) {
    const std::string_view all = text;
    EXPECT_EQ(crc32c(crc32c(0, as_bytes(all.substr(0, cut))), as_bytes(all.substr(cut))), whole);
  }
}

}  // namespace
}  // namespace ringside::trace::testing
