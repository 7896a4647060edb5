// Contents in pieces; what a hostile writer could store instead of them is refused.
#include "tools/fleet/large_contents.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace ringside::fleet {
namespace {

using Fetched = DeliveryQueue::Fetched;

Bytes text(std::size_t bytes) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + i / 256);
  return made;
}

class LargeContents : public ::testing::Test {
 protected:
  bool store(const Bytes& contents, std::size_t most_bytes) {
    return store_whole(content_hash(contents), contents, most_bytes, hash_key,
                       [&](std::string_view key, const Bytes& bytes) {
                         EXPECT_LE(bytes.size(), most_bytes);
                         stored_.emplace(std::string(key), bytes);
                         return true;
                       });
  }
  FetchedWhole fetch(const ContentHash& hash, std::size_t most_bytes = 1 << 20) {
    return fetch_whole(
        hash, most_bytes, hash_key,
        [this](std::string_view key, Bytes& bytes) {
          const auto found = stored_.find(key);
          if (found == stored_.end()) return Fetched::kMissing;
          bytes = found->second;
          return Fetched::kYes;
        },
        contents_, &why_);
  }

  std::map<std::string, Bytes, std::less<>> stored_;
  Bytes contents_;
  std::string why_;
};

TEST_F(LargeContents, ComeBackWhole) {
  for (const std::size_t bytes : {0U, 1U, 999U, 1000U, 1001U, 2000U, 30'000U}) {
    const Bytes made = text(bytes);
    ASSERT_TRUE(store(made, 1000));
    ASSERT_EQ(fetch(content_hash(made)), FetchedWhole::kYes) << why_;
    EXPECT_EQ(contents_, made);
  }
}

TEST_F(LargeContents, AreNotStoredIfTheirListDoesNotFit) {
  EXPECT_FALSE(store(text(40'000), 1000));
}

TEST_F(LargeContents, MissingPieceIsWaitedFor) {
  const Bytes made = text(5'000);
  ASSERT_TRUE(store(made, 1000));
  const auto sound = stored_;
  for (const auto& [key, bytes] : sound) {
    stored_ = sound;
    stored_.erase(key);
    EXPECT_EQ(fetch(content_hash(made)), FetchedWhole::kNotNow) << key;
  }
}

TEST_F(LargeContents, OtherContentsAreRefused) {
  const Bytes made = text(5'000);
  ASSERT_TRUE(store(made, 1000));
  const auto sound = stored_;
  for (const auto& [key, bytes] : sound) {
    for (std::size_t at = 0; at < bytes.size(); at += 7) {
      stored_ = sound;
      stored_[key][at] ^= std::byte{1};
      // A piece that the changed list names can be missing.
      EXPECT_NE(fetch(content_hash(made)), FetchedWhole::kYes) << key << " at " << at;
    }
    stored_ = sound;
    stored_[key].resize(bytes.size() - 1);
    EXPECT_EQ(fetch(content_hash(made)), FetchedWhole::kInvalid) << key;
    EXPECT_NE(why_.find("do not have this hash"), std::string::npos) << why_;
  }
}

TEST_F(LargeContents, AreBounded) {
  const Bytes made = text(5'000);
  ASSERT_TRUE(store(made, 1000));
  EXPECT_EQ(fetch(content_hash(made), 4'999), FetchedWhole::kInvalid);
  EXPECT_NE(why_.find("are too large"), std::string::npos) << why_;
  const Bytes small = text(900);
  ASSERT_TRUE(store(small, 1000));
  EXPECT_EQ(fetch(content_hash(small), 899), FetchedWhole::kInvalid);
  EXPECT_EQ(fetch(content_hash(small), 900), FetchedWhole::kYes);
}

// One piece, named thousands of times, cannot fill the memory.
TEST_F(LargeContents, ListOfMoreThanItStatesIsRefused) {
  const Bytes made = text(5'000);
  ASSERT_TRUE(store(made, 1000));
  Bytes& list = stored_[hash_key(content_hash(made))];
  const Bytes first(list.begin() + 16, list.begin() + 48);
  for (int i = 0; i < 1'000; ++i) list.insert(list.end(), first.begin(), first.end());
  list[4] = static_cast<std::byte>(1'005 & 0xFF);
  list[5] = static_cast<std::byte>(1'005 >> 8);
  EXPECT_EQ(fetch(content_hash(made)), FetchedWhole::kInvalid);
  EXPECT_NE(why_.find("another length than stated"), std::string::npos) << why_;
}

}  // namespace
}  // namespace ringside::fleet
