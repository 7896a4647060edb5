// What dictionaries of messages take of memory.

#include "tools/fleet/message_dictionary.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/segment_layout.hpp"
#include "tests/trace-format/ring_bytes.hpp"
#include "tools/fleet/dictionary_fragments.hpp"

namespace ringside::fleet {
namespace {

using trace::testing::site_entry;

class Bucket {
 public:
  // The manifest's hash.
  ContentHash store(const Bytes& entries) {
    DictionaryFragments fragments;
    fragments.add(entries);
    for (NamedContents& contents : fragments.cut())
      contents_[hash_key(contents.hash)] = std::move(contents.bytes);
    return fragments.manifest();
  }
  FetchContents fetch() {
    return [this](std::string_view key, Bytes& contents) {
      ++fetched;
      contents = contents_.at(std::string(key));
      return DeliveryQueue::Fetched::kYes;
    };
  }

  int fetched = 0;

 private:
  std::map<std::string, Bytes> contents_;
};

// The number of fetches that a second use of the first of `count` dictionaries takes.
int fetches_of_second_use(std::uint32_t first_id, int count) {
  Bucket bucket;
  ContentsFetch fetch(bucket.fetch());
  DictionaryCache cache(fetch);
  MessageDictionary* dictionary = nullptr;
  std::string why;
  ContentHash first{};
  for (int i = 0; i < count; ++i) {
    const ContentHash manifest =
        bucket.store(site_entry({.id = first_id - static_cast<std::uint32_t>(i)}));
    if (i == 0) first = manifest;
    EXPECT_EQ(cache.get(manifest, dictionary, &why), DictionaryCache::Found::kYes) << why;
  }
  bucket.fetched = 0;
  EXPECT_EQ(cache.get(first, dictionary, &why), DictionaryCache::Found::kYes) << why;
  EXPECT_NE(dictionary->sites().find(first_id), nullptr);
  return bucket.fetched;
}

TEST(DictionaryCache, ForgetsDictionariesWhoseTablesAreLarge) {
  EXPECT_EQ(fetches_of_second_use(100, 20), 0);
  // The ids alone need 16 MiB of memory.
  EXPECT_EQ(fetches_of_second_use(shm::kMaxSiteCapacity - 1, 4), 2);
}

TEST(StatementFacts, RemembersABoundedNumberOfContexts) {
  trace::SiteTable sites;
  std::string why;
  for (std::uint32_t id = 1; id <= 3000; ++id) {
    ASSERT_TRUE(sites.add(
        site_entry({.id = id, .fields = {{.type = shm::FieldType::u32, .name = "value"}}}), &why))
        << why;
  }
  StatementFacts facts(*sites.find(1));
  for (std::uint32_t id = 2; id <= 3000; ++id) {
    ASSERT_EQ(facts.context_keys(*sites.find(id)), std::vector<std::string>{"\"context.value\":"});
    ASSERT_LE(facts.contexts(), StatementFacts::kMostContexts);
  }
}

}  // namespace
}  // namespace ringside::fleet
