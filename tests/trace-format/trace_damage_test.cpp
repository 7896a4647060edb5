// Files that are cut, overwritten, or made to mislead: their valid parts are read.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

class DamagedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    file_.begin();
    mark();
    file_.stream(1, "one");
    mark();
    for (std::uint64_t i = 0; i < 12; ++i) {
      file_.extent(1 + i % 3, {100 * i, 100 * i + 10, 100 * i + 250});
      mark();
      if (i % 4 == 3) {
        file_.sequence_point(100 * i);
        mark();
      }
    }
    file_.end();
    mark();
  }
  void mark() { ends_.push_back(file_.bytes.size()); }

  TraceFileBuilder file_;
  std::vector<std::size_t> ends_;
};

TEST_F(DamagedFile, IsReadUpToWhereItIsCut) {
  const ReadResult whole = read_bytes(file_.bytes);
  ASSERT_EQ(whole.events.size(), 36U);
  for (std::size_t cut = 0; cut < file_.bytes.size(); ++cut) {
    const ReadResult r = read_bytes(std::span(file_.bytes).first(cut));
    if (cut < 16) {
      EXPECT_FALSE(r.opened) << cut;
      continue;
    }
    // Every extent that ends before the cut is read.
    const auto extents = static_cast<std::size_t>(
        std::count_if(ends_.begin() + 2, ends_.end(), [&](std::size_t end) { return end <= cut; }));
    const std::size_t points = extents / 5;
    EXPECT_EQ(r.events.size(), 3 * std::min<std::size_t>(12, extents - points)) << cut;
    EXPECT_EQ(r.report.damaged_blocks, 0U) << cut << ": a file that ends early is not damaged";
    const bool at_block = r.report.unfinished_bytes == 0;
    EXPECT_EQ(!at_block, !r.report.notes.empty()) << cut;
  }
}

TEST_F(DamagedFile, MayEndInSpaceThatWasAllocatedAhead) {
  file_.bytes.resize(file_.bytes.size() + 10000);
  const ReadResult r = read_bytes(file_.bytes);
  EXPECT_EQ(r.events.size(), 36U);
  EXPECT_EQ(r.report.unfinished_bytes, 10000U);
  EXPECT_EQ(r.report.damaged_blocks, 0U);
  EXPECT_TRUE(r.report.notes.empty());
}

TEST_F(DamagedFile, LosesOnlyTheDamagedBlock) {
  // Each byte of the sixth extent's block in turn.
  std::size_t extent_begin = ends_[1 + 5 + 1];
  const std::size_t extent_end = ends_[1 + 6 + 1];
  for (std::size_t at = extent_begin; at < extent_end; ++at) {
    Bytes bad = file_.bytes;
    bad[at] ^= std::byte{0x41};
    const ReadResult r = read_bytes(bad);
    EXPECT_EQ(r.report.damaged_blocks, 1U) << at;
    EXPECT_EQ(r.report.damaged_bytes, extent_end - extent_begin) << at;
    EXPECT_EQ(r.report.records, 33U) << at;
    EXPECT_EQ(r.report.missing_records, 3U) << at;
    const auto losses = std::count_if(r.events.begin(), r.events.end(), [](const ReadEvent& e) {
      return e.kind == EventKind::kLoss && e.cause == LossCause::kMissing && e.number == 3;
    });
    EXPECT_EQ(losses, 1) << at;
    ASSERT_EQ(r.report.notes.size(), 1U);
    EXPECT_EQ(r.report.notes[0].offset, extent_begin);
  }
}

TEST(TraceDamage, IsNoticedByTheNextSequencePointIfNoExtentFollows) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 200});
  file.lose(1, 4);
  file.sequence_point(300);
  file.sequence_point(400);
  const ReadResult r = read_bytes(file.bytes);
  ASSERT_EQ(r.events.size(), 3U);
  EXPECT_EQ(r.events[2], (ReadEvent{EventKind::kLoss, 300, 1, 2, 4, 101, LossCause::kMissing}));
  EXPECT_EQ(r.report.missing_records, 4U);
}

TEST_F(DamagedFile, GivesItsRecordsWithoutItsHeader) {
  Bytes bad = file_.bytes;
  bad[20] ^= std::byte{1};
  const ReadResult r = read_bytes(bad);
  EXPECT_EQ(r.report.records, 36U);
  EXPECT_EQ(r.report.damaged_blocks, 1U);
  EXPECT_EQ(r.events[0].pid, 0U);
}

TEST_F(DamagedFile, IsReadAroundGarbage) {
  std::mt19937_64 random(5);
  Bytes bad;
  std::size_t begin = 0;
  std::size_t rubbish = 0;
  for (const std::size_t end : ends_) {
    bad.insert(bad.end(), file_.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
               file_.bytes.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
    if (end == ends_.back()) break;
    for (std::uint64_t n = 1 + random() % 50; n > 0; --n, ++rubbish) {
      bad.push_back(random() % 4 == 0 ? std::byte{'R'} : static_cast<std::byte>(random()));
    }
  }
  const ReadResult r = read_bytes(bad);
  EXPECT_EQ(r.report.records, 36U);
  EXPECT_EQ(r.report.damaged_bytes, rubbish);
  EXPECT_EQ(r.report.damaged_blocks, ends_.size() - 1);
}

TEST_F(DamagedFile, IsSurvivedHoweverItIsScribbledOn) {
  std::mt19937_64 random(17);
  const TemporaryDirectory directory;
  std::size_t complete = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes bad = file_.bytes;
    std::set<std::size_t> hit;
    for (std::uint64_t n = 1 + random() % 5; n > 0; --n) {
      const std::size_t at = random() % bad.size();
      const auto value = static_cast<std::byte>(random());
      if (bad[at] == value) continue;
      bad[at] = value;
      hit.insert(static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), at) -
                                          ends_.begin()));
    }
    if (hit.contains(0)) continue;  // damage to the dictionary affects all records
    std::size_t lost = 0;
    for (const std::size_t block : hit) {
      const bool extent = block >= 2 && (block - 2) % 5 != 4 && block + 1 < ends_.size();
      lost += extent ? 1U : 0U;
    }
    const ReadResult r = read_all({directory.write("a.ringtrace", bad)});
    ASSERT_EQ(r.report.records, 36 - 3 * lost) << "round " << i;
    complete += lost == 0 ? 1U : 0U;
  }
  EXPECT_GT(complete, 10U);
}

// A machine crash can leave a file of full size whose first bytes never reached the disk.
TEST_F(DamagedFile, CountsBytesOutsideOfSectionsBesideFilesThatAreRead) {
  const TemporaryDirectory directory;
  const std::string whole = directory.write("whole.ringtrace", file_.bytes);
  Bytes headless = file_.bytes;
  std::fill(headless.begin() + 6, headless.end(), std::byte{0});
  const ReadResult r = read_all({whole, directory.write("headless.ringtrace", headless)});
  EXPECT_EQ(r.report.records, 36U);
  EXPECT_EQ(r.report.damaged_bytes, headless.size());
  Bytes zeros(4000);
  const ReadResult begun = read_all({whole, directory.write("begun.ringtrace", zeros)});
  EXPECT_EQ(begun.report.records, 36U);
  EXPECT_EQ(begun.report.damaged_bytes, 0U) << "allocated ahead, and not written yet";
}

TEST_F(DamagedFile, DoesNotEndAtAFalseEnd) {
  Bytes bad = file_.bytes;
  bad[ends_[3] + 4] = std::byte{9};  // the block type of the third extent
  const ReadResult r = read_bytes(bad);
  EXPECT_EQ(r.report.records, 33U);
  EXPECT_EQ(r.report.sections, 1U);
}

// The checksums are valid here, so that the checks after them must withstand any contents.
TEST_F(DamagedFile, IsSurvivedWithValidChecksumsOverWrongContents) {
  std::mt19937_64 random(18);
  const TemporaryDirectory directory;
  for (int i = 0; i < 3000; ++i) {
    Bytes bad = file_.bytes;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t block = random() % ends_.size();
      std::size_t begin = block == 0 ? 0 : ends_[block - 1];
      BlockFrame frame;
      while (parse_block_frame(std::span(bad).subspan(begin), frame) &&
             begin + frame.block_bytes() < ends_[block] && random() % 2 == 0) {
        begin += frame.block_bytes();
      }
      if (!parse_block_frame(std::span(bad).subspan(begin), frame) || frame.payload_bytes == 0) {
        continue;
      }
      for (std::uint64_t m = 1 + random() % 3; m > 0; --m) {
        bad[begin + kBlockHeaderBytes + random() % frame.payload_bytes] =
            static_cast<std::byte>(random() % 3 == 0 ? 0xFF : random());
      }
      write_block_frame(bad.data() + begin, frame.type, frame.payload_bytes, frame.flags);
    }
    const ReadResult r = read_all({directory.write("a.ringtrace", bad)});
    ASSERT_LE(r.report.records, 36U);
  }
}

TEST_F(DamagedFile, CannotKeepAReaderBusyWithFakeBlocks) {
  // Headers that claim the rest of the file, one after the other.
  Bytes bad = file_.bytes;
  const std::size_t begin = bad.size();
  bad.resize(begin + (2 << 20));
  for (std::size_t at = begin; at + kBlockHeaderBytes <= bad.size(); at += kBlockHeaderBytes) {
    const auto rest = static_cast<std::uint32_t>(bad.size() - at - kBlockHeaderBytes);
    std::memcpy(bad.data() + at, "RSBK\x03\x01\0\0", 8);
    std::memcpy(bad.data() + at + 8, &rest, 4);
  }
  const ReadResult r = read_bytes(bad);
  EXPECT_EQ(r.report.records, 36U);
  EXPECT_EQ(r.report.damaged_bytes, bad.size() - begin);
  EXPECT_TRUE(std::any_of(r.report.notes.begin(), r.report.notes.end(), [](const ReadError& note) {
    return note.what.find("too much damage") != std::string::npos;
  }));
}

// The sum is right, and the records end early: the rest of the extent is lost, wherever its stream
// stands.
TEST(TraceDamage, StatesHowManyRecordsOfAnExtentCouldNotBeDecoded) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 200});
  const std::size_t begin = file.bytes.size();
  file.extent(1, {300, 400, 500});
  const std::size_t end = file.bytes.size();
  std::size_t cut_short = 0;
  for (std::size_t at = begin + kBlockHeaderBytes + kExtentHeaderBytes; at < end; ++at) {
    for (const unsigned value : {0x00U, 0x7FU, 0xFFU}) {
      Bytes bad = file.bytes;
      bad[at] = static_cast<std::byte>(value);
      write_block_frame(bad.data() + begin, BlockType::kExtent, end - begin - kBlockHeaderBytes);
      const ReadResult r = read_bytes(bad);
      for (const ReadError& note : r.report.notes) {
        if (note.what.find("cannot decode the rest") == std::string::npos) continue;
        ++cut_short;
        EXPECT_EQ(note.remedy, std::to_string(5 - r.report.records) + " records are lost") << at;
      }
    }
  }
  EXPECT_GT(cut_short, 0U);
}

}  // namespace
}  // namespace ringside::trace::testing
