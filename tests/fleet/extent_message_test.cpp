// Messages as a receiver gets them: whole, cut, changed, and made by an enemy.
#include "tools/fleet/extent_message.hpp"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/trace_file_builder.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::fleet {
namespace {

using trace::testing::TraceFileBuilder;

ExtentMessage some_message() {
  TraceFileBuilder front;
  front.begin(7);
  TraceFileBuilder next;
  next.stream(1, "worker");
  next.extent(1, {10, 20, 30});
  ExtentMessage message;
  message.uuid[0] = 7;
  message.file_sequence = 3;
  message.section = 1;
  message.previous = 12;
  message.first_block = 5;
  message.manifest[31] = 9;
  message.repeated = front.bytes;
  message.blocks = next.bytes;
  return message;
}

TEST(ExtentMessage, IsReadAsItWasWritten) {
  const ExtentMessage message = some_message();
  ExtentMessage read;
  std::string why;
  ASSERT_TRUE(read_extent_message(write_extent_message(message, 3), read, &why)) << why;
  EXPECT_EQ(read.uuid, message.uuid);
  EXPECT_EQ(read.file_sequence, 3U);
  EXPECT_EQ(read.section, 1U);
  EXPECT_EQ(read.previous, 12U);
  EXPECT_EQ(read.first_block, 5U);
  EXPECT_FALSE(read.is_subset);
  EXPECT_TRUE(needs_dictionary(read));
  EXPECT_EQ(read.manifest, message.manifest);
  EXPECT_EQ(read.repeated, message.repeated);
  EXPECT_EQ(read.blocks, message.blocks);
}

TEST(ExtentMessage, IsRefusedIfItIsCut) {
  const Bytes payload = write_extent_message(some_message(), 3);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    ExtentMessage read;
    std::string why;
    EXPECT_FALSE(read_extent_message(std::span(payload).first(size), read, &why)) << size;
    EXPECT_FALSE(why.empty());
  }
}

// Some bits of a zstd frame have no meaning, and which ones depends on what is packed: then the
// message is the same.
TEST(ExtentMessage, IsRefusedIfAByteChanges) {
  const ExtentMessage message = some_message();
  const Bytes payload = write_extent_message(message, 3);
  constexpr std::size_t kBodyAt = 96;
  for (std::size_t at = 0; at < payload.size(); ++at) {
    // The four bytes without a meaning.
    if (at >= 84 && at < 88) continue;
    Bytes changed = payload;
    changed[at] ^= std::byte{0x10};
    ExtentMessage read;
    std::string why;
    if (!read_extent_message(changed, read, &why)) continue;
    EXPECT_GE(at, kBodyAt);
    EXPECT_EQ(read.blocks, message.blocks) << at;
    EXPECT_EQ(read.repeated, message.repeated) << at;
  }
}

TEST(ExtentMessage, IsRefusedIfItsBodyIsNoSequenceOfBlocks) {
  ExtentMessage message = some_message();
  message.blocks.push_back(std::byte{1});
  ExtentMessage read;
  std::string why;
  EXPECT_FALSE(read_extent_message(write_extent_message(message, 3), read, &why));
  EXPECT_EQ(why, "its body is not a sequence of whole blocks");
}

TEST(ExtentMessage, IsRefusedIfItClaimsAHugeBody) {
  Bytes payload = write_extent_message(some_message(), 3);
  trace::store(payload.data() + 76, std::uint32_t{1} << 30);
  ExtentMessage read;
  std::string why;
  EXPECT_FALSE(read_extent_message(payload, read, &why));
  EXPECT_EQ(why, "its lengths are impossible");
}

TEST(ExtentMessage, RandomBytesAreRefused) {
  std::mt19937_64 random(3);
  const Bytes payload = write_extent_message(some_message(), 3);
  for (int i = 0; i < 5'000; ++i) {
    Bytes bytes(1 + random() % 300);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    // As far as the length and the magic.
    std::memcpy(bytes.data(), payload.data(), std::min<std::size_t>(bytes.size(), 6));
    ExtentMessage read;
    std::string why;
    EXPECT_FALSE(read_extent_message(bytes, read, &why));
  }
}

}  // namespace
}  // namespace ringside::fleet
