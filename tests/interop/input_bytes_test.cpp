// A file or a pipe, read from front to back.

#include "tools/interop/input_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

std::vector<std::byte> numbered(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>(i * 31 + i / 251);
  return all;
}

// As from a pipe: some bytes at a time.
std::unique_ptr<InputBytes> in_parts(const std::vector<std::byte>& all, std::size_t part) {
  return InputBytes::of("parts",
                        [&all, part, at = std::size_t{0}](std::span<std::byte> room) mutable {
                          const std::size_t count = std::min({part, room.size(), all.size() - at});
                          if (count != 0) std::memcpy(room.data(), all.data() + at, count);
                          at += count;
                          return static_cast<std::ptrdiff_t>(count);
                        });
}

TEST(InputBytes, ShowsAllBytesInOrderHoweverTheyComeAndAreAskedFor) {
  const std::vector<std::byte> all = numbered(3'000'000);
  for (const std::size_t part : {std::size_t{1} << 20, std::size_t{4097}}) {
    for (const std::size_t wanted : {std::size_t{1}, std::size_t{1000}, std::size_t{700'000}}) {
      const auto input = in_parts(all, part);
      std::size_t at = 0;
      for (auto bytes = input->peek(wanted); !bytes.empty(); bytes = input->peek(wanted)) {
        ASSERT_TRUE(bytes.size() >= wanted || at + bytes.size() == all.size());
        ASSERT_EQ(input->offset(), at);
        const std::size_t step = std::min(bytes.size(), wanted);
        ASSERT_EQ(std::memcmp(bytes.data(), all.data() + at, step), 0);
        input->skip(step);
        at += step;
      }
      EXPECT_EQ(at, all.size());
    }
  }
}

TEST(InputBytes, AllocatesWhatIsThereNotWhatIsAskedFor) {
  const std::vector<std::byte> all = numbered(1000);
  const auto input = InputBytes::in_memory("few", all);
  EXPECT_EQ(input->peek(std::size_t{1} << 60).size(), 1000U);
  EXPECT_EQ(input->pass_over(std::uint64_t{1} << 60), 1000U);
  EXPECT_TRUE(input->at_end());
}

TEST(InputBytes, AFailedReadLooksLikeTheEndAndIsRemembered) {
  bool first = true;
  const auto input = InputBytes::of("broken", [&first](std::span<std::byte> room) {
    if (!first) {
      errno = EIO;
      return std::ptrdiff_t{-1};
    }
    first = false;
    room[0] = std::byte{7};
    return std::ptrdiff_t{1};
  });
  EXPECT_EQ(input->peek(10).size(), 1U);
  EXPECT_EQ(input->failure(), std::strerror(EIO));
}

}  // namespace
}  // namespace ringside::tool
