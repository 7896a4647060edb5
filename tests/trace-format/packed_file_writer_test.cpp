// The writer's output is the Zstandard seekable format: zstd and the reader restore it.
#include "trace-format/packing/packed_file_writer.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <zstd.h>

#include <gtest/gtest.h>

#include "trace-format/blocks/frame_table.hpp"
#include "trace-format/packing/packed_file.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

// Half random, half compressible.
Bytes content_of_size(std::size_t bytes) {
  std::mt19937_64 random(bytes);
  Bytes content(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    content[i] = static_cast<std::byte>(i % 2 == 0 ? random() : i >> 12);
  }
  return content;
}

Bytes pack(const Bytes& content, std::size_t piece) {
  Bytes out;
  const auto writer = PackedFileWriter::create([&out](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
    return true;
  });
  for (std::size_t at = 0; at < content.size(); at += piece) {
    const auto rest = std::span<const std::byte>(content).subspan(at);
    EXPECT_TRUE(writer->append(rest.first(std::min(piece, rest.size()))));
  }
  EXPECT_TRUE(writer->finish());
  EXPECT_EQ(writer->content_bytes(), content.size());
  EXPECT_EQ(writer->packed_bytes(), out.size());
  return out;
}

TEST(PackedFileWriter, MakesTheSameFramesOfPiecesOfAnySize) {
  const Bytes content = content_of_size(2 * kUsualFrameContent + 12345);
  const Bytes packed = pack(content, content.size());
  for (const std::size_t piece : {std::size_t{777}, kUsualFrameContent - 1, kUsualFrameContent,
                                  kUsualFrameContent + 1, 2 * kUsualFrameContent}) {
    EXPECT_EQ(pack(content, piece), packed) << piece;
  }
}

TEST(PackedFileWriter, GivesEveryFrameItsContentSizeAndChecksum) {
  const Bytes content = content_of_size(2 * kUsualFrameContent + 5);
  const Bytes packed = pack(content, content.size());
  std::string why;
  const auto file = TraceFile::in_memory("packed", packed);
  const std::vector<PackedFrame> frames = find_frames(*file, &why);
  ASSERT_EQ(frames.size(), 3U) << why;
  for (const PackedFrame& frame : frames) {
    const std::byte* const p = packed.data() + frame.packed_offset;
    EXPECT_EQ(ZSTD_getFrameContentSize(p, frame.packed_bytes), frame.content_bytes);
    constexpr std::byte kChecksumFlag{4};
    EXPECT_EQ(p[4] & kChecksumFlag, kChecksumFlag);
  }
  EXPECT_EQ(frames[0].content_bytes, kUsualFrameContent);
  EXPECT_EQ(frames[2].content_bytes, 5U);
}

TEST(PackedFileWriter, IsReadByTheReader) {
  for (const std::size_t bytes : {std::size_t{1}, kUsualFrameContent, kUsualFrameContent + 1}) {
    const Bytes content = content_of_size(bytes);
    ReadError error;
    const auto file =
        PackedFile::open(TraceFile::in_memory("packed", pack(content, bytes)), &error);
    ASSERT_TRUE(file) << error.text();
    Bytes restored(content.size());
    ASSERT_EQ(file->size(), content.size());
    EXPECT_EQ(file->read(0, restored), content.size());
    EXPECT_EQ(restored, content);
  }
}

TEST(PackedFileWriter, IsRestoredByZstd) {
  const TemporaryDirectory directory;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 3 * kUsualFrameContent / 2}) {
    const Bytes content = content_of_size(bytes);
    const Bytes packed = pack(content, 4096);
    Bytes restored(content.size() + 1);
    const std::size_t got =
        ZSTD_decompress(restored.data(), restored.size(), packed.data(), packed.size());
    ASSERT_EQ(ZSTD_isError(got), 0U) << ZSTD_getErrorName(got);
    restored.resize(got);
    EXPECT_EQ(restored, content);
    // The zstd tool too, if it is installed.
    if (std::system("command -v zstd >/dev/null") != 0) continue;
    const std::string name = directory.write("x.zst", packed);
    const std::string command = "zstd -q -d -f '" + name + "' -o '" + directory.path() + "/x'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream stream(directory.path() + "/x", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto words = std::as_bytes(std::span(text));
    EXPECT_EQ(Bytes(words.begin(), words.end()), content);
  }
}

TEST(PackedFileWriter, FailsWhenItsSinkDoes) {
  const auto writer =
      PackedFileWriter::create([](std::span<const std::byte> /*bytes*/) { return false; });
  EXPECT_FALSE(writer->append(content_of_size(kUsualFrameContent)));
}

}  // namespace
}  // namespace ringside::trace::testing
