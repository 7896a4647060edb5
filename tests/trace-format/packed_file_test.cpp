// Packed files and files in memory read like plain ones, and damage stays local.
#include "trace-format/packing/packed_file.hpp"

#include <random>

#include <gtest/gtest.h>

#include "packed_bytes.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

constexpr std::size_t kFrame = 4096;
constexpr std::uint64_t kLongTraceExtents = 2000;

// Many small extents, which give about 50 frames.
Bytes long_trace() {
  TraceFileBuilder file;
  file.begin();
  for (std::uint64_t i = 0; i < kLongTraceExtents; ++i) {
    file.extent(1 + i % 3, {100 * i, 100 * i + 10, 100 * i + 150});
    if (i % 50 == 49) file.sequence_point(100 * i);
  }
  file.end();
  return file.bytes;
}

std::unique_ptr<TraceFile> open_packed(Bytes bytes) {
  return PackedFile::open(TraceFile::in_memory("packed", std::move(bytes)), nullptr);
}

Bytes content_of(TraceFile& file) {
  Bytes content(file.size());
  EXPECT_EQ(file.read(0, content), content.size());
  return content;
}

TEST(PackedFile, RestoresTheBytes) {
  const Bytes plain = long_trace();
  for (const SeekTable table : {SeekTable::kSound, SeekTable::kNone}) {
    const auto file = open_packed(packed(plain, kFrame, table));
    ASSERT_TRUE(file);
    EXPECT_EQ(content_of(*file), plain);
    std::mt19937_64 random(3);
    for (int i = 0; i < 200; ++i) {
      const std::size_t at = random() % (plain.size() + 10);
      const std::size_t bytes = random() % (3 * kFrame);
      Bytes part(bytes);
      const std::size_t left = at < plain.size() ? plain.size() - at : 0;
      ASSERT_EQ(file->read(at, part), std::min(bytes, left));
      ASSERT_TRUE(std::equal(
          part.begin(), part.begin() + static_cast<std::ptrdiff_t>(std::min(bytes, left)),
          plain.begin() + static_cast<std::ptrdiff_t>(std::min(at, plain.size()))));
    }
  }
}

TEST(PackedFile, IsRecognisedByItsBytesAndReadLikeThePlainOne) {
  const TemporaryDirectory directory;
  const Bytes plain = long_trace();
  const ReadResult expected = read_bytes(plain);
  ASSERT_EQ(expected.events.size(), 3 * kLongTraceExtents);
  const ReadResult r = read_all({directory.write("any name", packed(plain, kFrame))});
  EXPECT_EQ(r.events, expected.events);
  EXPECT_EQ(r.report.damaged_frames, 0U);
  EXPECT_TRUE(r.report.notes.empty());
}

TEST(PackedFile, LosesOnlyTheDamagedFrame) {
  const Bytes plain = long_trace();
  Bytes bad = packed(plain, kFrame);
  bad[bad.size() / 2] ^= std::byte{0x10};
  const auto file = open_packed(bad);
  ReadReport report;
  file->report_to(&report);
  const Bytes content = content_of(*file);
  EXPECT_EQ(content.size(), plain.size());
  std::size_t wrong_frames = 0;
  for (std::size_t at = 0; at < plain.size(); at += kFrame) {
    const std::size_t end = std::min(at + kFrame, plain.size());
    const bool same = std::equal(plain.begin() + static_cast<std::ptrdiff_t>(at),
                                 plain.begin() + static_cast<std::ptrdiff_t>(end),
                                 content.begin() + static_cast<std::ptrdiff_t>(at));
    if (same) continue;
    ++wrong_frames;
    for (std::size_t i = at; i < end; ++i) ASSERT_EQ(content[i], std::byte{0});
  }
  EXPECT_EQ(wrong_frames, 1U);
  EXPECT_EQ(report.damaged_frames, 1U);
  ASSERT_EQ(report.notes.size(), 1U);

  const TemporaryDirectory directory;
  const ReadResult r = read_all({directory.write("a.ringtrace.zst", bad)});
  EXPECT_EQ(r.report.damaged_frames, 1U);
  EXPECT_GT(r.report.records, 3 * kLongTraceExtents * 9 / 10);
  EXPECT_EQ(r.report.records + r.report.missing_records, 3 * kLongTraceExtents);
}

TEST(PackedFile, SurvivesAnyBytes) {
  const Bytes good = packed(long_trace(), kFrame);
  std::mt19937_64 random(11);
  std::size_t opened = 0;
  for (int i = 0; i < 300; ++i) {
    Bytes bad = good;
    for (std::uint64_t n = 1 + random() % 8; n > 0; --n) {
      bad[random() % bad.size()] = static_cast<std::byte>(random());
    }
    if (i % 3 == 0) bad.resize(random() % bad.size());
    const auto file = open_packed(std::move(bad));
    if (!file) continue;
    ++opened;
    EXPECT_LT(file->size(), std::uint64_t{1} << 32);
    Bytes part(100);
    for (std::uint64_t at = 0; at < std::min<std::uint64_t>(file->size(), 1 << 22); at += kFrame) {
      file->read(at, part);
    }
  }
  EXPECT_GT(opened, 200U);
}

TEST(PackedFile, IsRefusedIfItIsNotSeekable) {
  const TemporaryDirectory directory;
  const Bytes large(kMaxFrameContent + 1);
  const ReadResult r =
      read_all({directory.write("a.zst", packed(large, large.size(), SeekTable::kNone))});
  EXPECT_FALSE(r.opened);
  EXPECT_NE(r.error.text().find("zstd -d"), std::string::npos) << r.error.text();
}

TEST(TraceSet, TakesThePlainFileOfTwoForOneName) {
  TraceFileBuilder a;
  a.begin(1);
  a.extent(1, {100});
  a.end();
  TraceFileBuilder b;
  b.begin(2);
  b.extent(1, {200});
  b.end();
  const TemporaryDirectory directory;
  directory.write("a.ringtrace", a.bytes);
  directory.write("a.ringtrace.zst", packed(a.bytes, kFrame));
  directory.write("b.ringtrace.zst", packed(b.bytes, kFrame));
  directory.write("c.zst", packed(b.bytes, kFrame));
  const ReadResult r = read_all({directory.path()});
  EXPECT_EQ(r.times(), (std::vector<std::uint64_t>{100, 200}));
  EXPECT_EQ(r.report.files, 2U);
  // A shell expands a glob to names in the same directory.
  const std::string path = directory.path() + "/";
  const ReadResult named =
      read_all({path + "a.ringtrace", path + "a.ringtrace.zst", path + "b.ringtrace.zst"});
  EXPECT_EQ(named.times(), r.times());
  EXPECT_EQ(named.report.files, 2U);
}

TEST(TraceSet, ReadsFilesInMemory) {
  const Bytes plain = long_trace();
  std::vector<std::unique_ptr<TraceFile>> files;
  files.push_back(TraceFile::in_memory("made up", plain));
  auto set = TraceSet::open(std::move(files), {}, nullptr);
  ASSERT_TRUE(set);
  Event event;
  std::uint64_t records = 0;
  while (set->next(event)) {
    ASSERT_EQ(event.segment->file, "made up");
    ++records;
  }
  EXPECT_EQ(records, 3 * kLongTraceExtents);
  EXPECT_GT(set->report().bytes_read, plain.size());
  ReadError error;
  EXPECT_FALSE(TraceSet::open(std::vector<std::unique_ptr<TraceFile>>(), {}, &error));
  EXPECT_FALSE(error.what.empty());
}

}  // namespace
}  // namespace ringside::trace::testing
