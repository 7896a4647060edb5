// The cursor of a text file: what is stored is read again, and a damaged half is not used.

#include "consumerd/text/text_cursor.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "consumerd/text/text_marks.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::SegmentPosition;
using consumer::TextCursor;
using consumer::TextState;

SegmentPosition position(std::uint8_t number) {
  SegmentPosition at;
  at.uuid.fill(number);
  at.stem = "shop.12.20261120T213516-554575.";
  at.file_sequence = number;
  at.section_offset = std::uint64_t{1000} * number;
  at.events = 7;
  at.gaps = 2;
  at.stray_losses[shm::LossCause::kNoRing] = 5;
  at.over = number % 2 == 0;
  return at;
}

TextState state(std::uint64_t bytes, std::uint8_t segments) {
  TextState made{1, 2, bytes, 4, {}};
  for (std::uint8_t i = 0; i < segments; ++i) made.segments.push_back(position(i));
  return made;
}

TextState loaded(TextCursor& cursor) {
  TextState read;
  std::string why;
  EXPECT_TRUE(cursor.load(&read, &why)) << why;
  return read;
}

TextState loaded(const TemporaryDirectory& dir) {
  TextCursor cursor(dir.path(), "shop");
  return loaded(cursor);
}

void store(TextCursor& cursor, const TextState& made) {
  std::string why;
  EXPECT_TRUE(cursor.store(made, &why)) << why;
}

TEST(TextCursor, ReadsWhatWasStoredLast) {
  const TemporaryDirectory dir;
  {
    TextCursor cursor(dir.path(), "shop");
    EXPECT_EQ(loaded(cursor).inode, 0U);
    // The last one is shorter than the one in whose place it is stored.
    for (const std::uint8_t segments : {std::uint8_t{9}, std::uint8_t{8}, std::uint8_t{3}})
      store(cursor, state(100U + segments, segments));
  }
  const TextState read = loaded(dir);
  EXPECT_EQ(read.bytes, 103U);
  EXPECT_EQ(read.device, 1U);
  EXPECT_EQ(read.begun_unix_s, 4U);
  ASSERT_EQ(read.segments.size(), 3U);
  const SegmentPosition expected = position(2);
  const SegmentPosition& at = read.segments[2];
  EXPECT_EQ(at.uuid, expected.uuid);
  EXPECT_EQ(at.stem, expected.stem);
  EXPECT_EQ(at.file_sequence, expected.file_sequence);
  EXPECT_EQ(at.section_offset, expected.section_offset);
  EXPECT_EQ(at.events, expected.events);
  EXPECT_EQ(at.gaps, expected.gaps);
  EXPECT_EQ(at.stray_losses, expected.stray_losses);
  EXPECT_TRUE(at.over);
}

TEST(TextCursor, UsesTheOtherHalfIfOneIsDamagedAnywhere) {
  const TemporaryDirectory dir;
  {
    TextCursor cursor(dir.path(), "shop");
    loaded(cursor);
    store(cursor, state(1, 2));
    store(cursor, state(2, 2));
  }
  const std::string newer = dir.file(".shop.text-cursor.0");
  const auto bytes = std::filesystem::file_size(newer);
  for (std::uintmax_t at = 0; at + 1 < bytes; at += 3) {
    std::filesystem::copy_file(newer, dir.file("copy"),
                               std::filesystem::copy_options::overwrite_existing);
    std::fstream file(newer, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('~');
    file.close();
    EXPECT_EQ(loaded(dir).bytes, 1U) << at;
    std::filesystem::rename(dir.file("copy"), newer);
  }
  // The next one is stored in the place of the older half.
  {
    TextCursor successor(dir.path(), "shop");
    EXPECT_EQ(loaded(successor).bytes, 2U);
    store(successor, state(3, 1));
  }
  EXPECT_EQ(loaded(dir).bytes, 3U);
}

TEST(TextCursor, IsLoadedByOneOnly) {
  const TemporaryDirectory dir;
  TextCursor first(dir.path(), "shop");
  loaded(first);
  TextState read;
  std::string why;
  EXPECT_FALSE(TextCursor(dir.path(), "shop").load(&read, &why));
  EXPECT_NE(why.find("another consumerd"), std::string::npos) << why;
  TextCursor of_another_service(dir.path(), "shopping");
  loaded(of_another_service);
}

TEST(TextCursor, FailureToStoreNamesTheFile) {
  std::string why;
  EXPECT_FALSE(TextCursor("/nonexistent", "shop").store({}, &why));
  EXPECT_NE(why.find("/nonexistent/.shop.text-cursor"), std::string::npos) << why;
}

TEST(TextMarks, StayUntilRemovedAndKeepTheirFirstPlace) {
  const TemporaryDirectory dir;
  std::string why;
  SegmentPosition first = position(1);
  ASSERT_TRUE(consumer::make_text_mark(dir.path(), "shop", first, &why)) << why;
  SegmentPosition later = first;
  later.file_sequence = 9;
  ASSERT_TRUE(consumer::make_text_mark(dir.path(), "shop", later, &why)) << why;
  std::ofstream(dir.file(".shop.0123.text-mark")) << "no uuid";
  std::ofstream(dir.file(".shop.000102030405060708090a0b0c0d0e0f.text-mark")) << "shop. 1 2 ma";
  const auto marks = consumer::text_marks(dir.path());
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].service, "shop");
  EXPECT_EQ(marks[0].from.uuid, first.uuid);
  EXPECT_EQ(marks[0].from.stem, first.stem);
  EXPECT_EQ(marks[0].from.file_sequence, 1U);
  EXPECT_EQ(marks[0].from.section_offset, 1000U);
  consumer::remove_text_mark(dir.path(), "shop", first);
  EXPECT_TRUE(consumer::text_marks(dir.path()).empty());
}

}  // namespace
}  // namespace ringside::consumer_test
