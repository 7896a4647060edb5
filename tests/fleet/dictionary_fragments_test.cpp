// Equal programs have equal fragments, however their entries came.
#include "tools/fleet/dictionary_fragments.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/ring_bytes.hpp"

namespace ringside::fleet {
namespace {

Bytes entries(std::uint32_t first, std::uint32_t last, std::size_t format_bytes = 20) {
  Bytes bytes;
  for (std::uint32_t id = first; id <= last; ++id) {
    const Bytes entry = trace::testing::site_entry(
        {.id = id, .format = std::to_string(id) + std::string(format_bytes, 'x')});
    bytes.insert(bytes.end(), entry.begin(), entry.end());
  }
  return bytes;
}

std::vector<ContentHash> hashes_in(const std::vector<NamedContents>& contents) {
  std::vector<ContentHash> hashes;
  std::string why;
  EXPECT_TRUE(read_manifest(contents.back().bytes, hashes, &why)) << why;
  return hashes;
}

TEST(DictionaryFragments, EndWithEach64thId) {
  DictionaryFragments dictionary;
  dictionary.add(entries(1, 150));
  const auto contents = dictionary.cut();
  ASSERT_EQ(contents.size(), 4U);
  EXPECT_EQ(contents[0].bytes, entries(1, 64));
  EXPECT_EQ(contents[1].bytes, entries(65, 128));
  EXPECT_EQ(contents[2].bytes, entries(129, 150));
  for (const NamedContents& each : contents) EXPECT_EQ(content_hash(each.bytes), each.hash);
  EXPECT_EQ(contents[3].hash, dictionary.manifest());
  EXPECT_EQ(hashes_in(contents),
            (std::vector{contents[0].hash, contents[1].hash, contents[2].hash}));
}

TEST(DictionaryFragments, AreTheSameHoweverTheBlocksAreCut) {
  DictionaryFragments one;
  one.add(entries(1, 200));
  DictionaryFragments many;
  for (std::uint32_t id = 1; id <= 200; ++id) many.add(entries(id, id));
  one.cut();
  many.cut();
  EXPECT_EQ(one.manifest(), many.manifest());
}

TEST(DictionaryFragments, LaterEntriesKeepEarlierFragments) {
  DictionaryFragments dictionary;
  dictionary.add(entries(1, 10));
  const auto first = dictionary.cut();
  EXPECT_TRUE(dictionary.cut().empty());
  dictionary.add(entries(11, 12));
  const auto second = dictionary.cut();
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(hashes_in(second), (std::vector{first[0].hash, second[0].hash}));
}

TEST(DictionaryFragments, AreBounded) {
  DictionaryFragments dictionary;
  dictionary.add(entries(1, 60, 10'000));
  const auto contents = dictionary.cut();
  EXPECT_GT(contents.size(), 4U);
  for (const NamedContents& each : contents) EXPECT_LE(each.bytes.size(), kMostFragmentBytes);
}

TEST(DictionaryFragments, NoEntriesHaveNoManifest) {
  DictionaryFragments dictionary;
  EXPECT_TRUE(dictionary.cut().empty());
  EXPECT_EQ(dictionary.manifest(), ContentHash{});
}

TEST(Manifest, IsRefusedIfItsLengthIsWrong) {
  DictionaryFragments dictionary;
  dictionary.add(entries(1, 150));
  const Bytes sound = dictionary.cut().back().bytes;
  std::vector<ContentHash> hashes;
  std::string why;
  for (std::size_t size = 0; size < sound.size(); ++size)
    EXPECT_FALSE(read_manifest(std::span(sound).first(size), hashes, &why)) << size;
  Bytes huge = sound;
  huge[6] = std::byte{0xFF};
  EXPECT_FALSE(read_manifest(huge, hashes, &why));
}

}  // namespace
}  // namespace ringside::fleet
