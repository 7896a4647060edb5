// A file that is read while it is written, and damage that is expensive to search.
#include "trace-format/blocks/block_reader.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

TEST(BlockReader, RereadsBytesThatWereOnlyAllocatedBefore) {
  TraceFileBuilder file;
  file.begin();
  const std::size_t written = file.bytes.size();
  file.extent(1, {100, 200});
  Bytes allocated = file.bytes;
  std::fill(allocated.begin() + static_cast<std::ptrdiff_t>(written), allocated.end(),
            std::byte{0});
  const TemporaryDirectory directory;
  const std::string path = directory.write("a.ringtrace", allocated);
  const auto trace = TraceFile::open(path, nullptr);
  ASSERT_TRUE(trace);
  BlockReader reader(*trace, 0, trace->size(), nullptr);
  reader.set_growing(true);
  Block block;
  while (reader.next(block)) {
  }
  ASSERT_EQ(reader.position(), written);

  std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
  stream.write(reinterpret_cast<const char*>(file.bytes.data()),
               static_cast<std::streamsize>(file.bytes.size()));
  stream.close();
  reader.set_end(trace->size());
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.offset, written);
  EXPECT_EQ(block.frame.type, BlockType::kExtent);
}

TEST(BlockReader, PassesDamageOfAFileThatIsStillReadOnRequestButNotATornEnd) {
  TraceFileBuilder file;
  file.begin();
  const std::size_t damaged = file.bytes.size();
  file.extent(1, {100, 200});
  const std::size_t sound = file.bytes.size();
  file.extent(1, {300});
  const std::size_t torn = file.bytes.size();
  file.extent(1, {400});
  file.bytes[damaged] ^= std::byte{1};
  file.bytes.resize(file.bytes.size() - 1);
  const auto trace = TraceFile::in_memory("a", file.bytes);
  ReadReport report;
  BlockReader reader(*trace, 0, trace->size(), &report);
  reader.set_growing(true);
  Block block;
  while (reader.next(block)) {
  }
  ASSERT_EQ(reader.position(), damaged);
  reader.pass_damage();
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.offset, sound);
  EXPECT_EQ(report.notes.size(), 1U);
  reader.pass_damage();
  EXPECT_FALSE(reader.next(block));
  EXPECT_EQ(reader.position(), torn);
  EXPECT_EQ(report.notes.size(), 1U);
}

}  // namespace
}  // namespace ringside::trace::testing
