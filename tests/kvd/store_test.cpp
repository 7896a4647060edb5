#include "libagent/examples/kvd/store.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kvd {
namespace {

constexpr TimeMs kStart = 1'000'000;

class StoreTest : public testing::Test {
 protected:
  bool set(std::string_view key, std::string_view value, TimeMs expires_at_ms = kNever,
           SetCondition condition = SetCondition::kAlways) {
    return store_.set(key, value, condition, expires_at_ms, now_ms_);
  }
  // "-" if there is none.
  std::string get(std::string_view key) {
    const StoreResult<StringPtr> result = store_.get(key, now_ms_);
    return result.status == StoreStatus::kOk ? *result.value : "-";
  }
  std::size_t sweep_all() {
    std::size_t removed = 0;
    for (unsigned shard = 0; shard < Store::kShards; ++shard) {
      removed += store_.sweep(shard, now_ms_);
    }
    return removed;
  }

  Store store_;
  TimeMs now_ms_ = kStart;
};

TEST_F(StoreTest, GivesBackWhatWasSetLast) {
  EXPECT_EQ(get("k"), "-");
  EXPECT_TRUE(set("k", "1"));
  EXPECT_TRUE(set("k", "2"));
  EXPECT_EQ(get("k"), "2");
  EXPECT_EQ(store_.size(), 1U);
}

TEST_F(StoreTest, SetsOnlyWhenTheConditionHolds) {
  EXPECT_FALSE(set("k", "a", kNever, SetCondition::kIfPresent));
  EXPECT_EQ(get("k"), "-");
  EXPECT_TRUE(set("k", "b", kNever, SetCondition::kIfMissing));
  EXPECT_FALSE(set("k", "c", kNever, SetCondition::kIfMissing));
  EXPECT_TRUE(set("k", "d", kNever, SetCondition::kIfPresent));
  EXPECT_EQ(get("k"), "d");
}

TEST_F(StoreTest, LosesAKeyAtItsExpiryAndNotBefore) {
  set("k", "v", kStart + 100);
  now_ms_ = kStart + 99;
  EXPECT_EQ(get("k"), "v");
  EXPECT_EQ(store_.time_to_live("k", now_ms_).value, 1);
  now_ms_ = kStart + 100;
  EXPECT_EQ(store_.size(), 1U);
  EXPECT_EQ(get("k"), "-");
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_EQ(store_.expired_keys(), 1U);
}

TEST_F(StoreTest, TreatsAnExpiredKeyAsMissingInEveryOperation) {
  const std::array<std::string_view, 1> key{"k"};
  const auto expired = [&] {
    set("k", "7", now_ms_ + 1);
    ++now_ms_;
  };
  expired();
  EXPECT_EQ(store_.get_all(key, now_ms_).front(), nullptr);
  expired();
  EXPECT_TRUE(set("k", "v", kNever, SetCondition::kIfMissing));
  expired();
  EXPECT_EQ(store_.erase(key, now_ms_), 0U);
  expired();
  EXPECT_EQ(store_.count(key, now_ms_), 0U);
  expired();
  EXPECT_EQ(store_.increment("k", 1, now_ms_).value, 1);
  expired();
  EXPECT_FALSE(store_.expire_at("k", kNever - 1, now_ms_));
  expired();
  EXPECT_EQ(store_.time_to_live("k", now_ms_).status, StoreStatus::kMissing);
  expired();
  EXPECT_EQ(store_.type("k", now_ms_), ValueType::kNone);
  expired();
  EXPECT_EQ(store_.push("k", key, ListEnd::kBack, now_ms_).value, 1U);
}

TEST_F(StoreTest, ForgetsTheExpiryWhenAKeyIsSetAgainAndKeepsItWhenIncremented) {
  set("k", "1", kStart + 100);
  EXPECT_EQ(store_.increment("k", 1, now_ms_).value, 2);
  EXPECT_EQ(store_.time_to_live("k", now_ms_).value, 100);
  set("k", "1");
  EXPECT_EQ(store_.time_to_live("k", now_ms_).value, kNever);
  now_ms_ = kStart + 200;
  EXPECT_EQ(get("k"), "1");
}

TEST_F(StoreTest, RemovesAKeyWhoseNewExpiryHasPassed) {
  EXPECT_FALSE(store_.expire_at("k", kStart + 5, now_ms_));
  set("k", "v");
  EXPECT_TRUE(store_.expire_at("k", kStart + 5, now_ms_));
  EXPECT_EQ(store_.time_to_live("k", now_ms_).value, 5);
  EXPECT_TRUE(store_.expire_at("k", kStart, now_ms_));
  EXPECT_EQ(store_.size(), 0U);
}

TEST_F(StoreTest, SweepsExpiredKeysThatAreNotRequested) {
  for (int i = 0; i < 2000; ++i) {
    set("expires" + std::to_string(i), "v", kStart + 10);
    set("stays" + std::to_string(i), "v", kStart + 1000);
    set("for-ever" + std::to_string(i), "v");
  }
  EXPECT_EQ(sweep_all(), 0U);
  now_ms_ = kStart + 10;
  // A sweep is a bounded sample, so several are needed; each removes some keys.
  std::size_t removed = 0;
  for (int round = 0; round < 1000 && removed < 2000; ++round) removed += sweep_all();
  EXPECT_EQ(removed, 2000U);
  EXPECT_EQ(store_.size(), 4000U);
  EXPECT_EQ(store_.expired_keys(), 2000U);
  EXPECT_EQ(get("stays7"), "v");
  EXPECT_EQ(get("for-ever7"), "v");
  EXPECT_EQ(sweep_all(), 0U);
}

TEST_F(StoreTest, BoundsTheWorkOfOneSweep) {
  for (int i = 0; i < 20000; ++i) set("k" + std::to_string(i), "v", kStart + 1);
  now_ms_ = kStart + 1;
  const std::size_t removed = sweep_all();
  EXPECT_GT(removed, 0U);
  EXPECT_LT(removed, 20000U);
}

TEST_F(StoreTest, IncrementsStrictIntegersOnly) {
  EXPECT_EQ(store_.increment("n", -3, now_ms_).value, -3);
  for (const char* const text :
       {"", " 1", "1 ", "+1", "01", "1.0", "x", "-", "-0", "9223372036854775808"}) {
    set("k", text);
    EXPECT_EQ(store_.increment("k", 1, now_ms_).status, StoreStatus::kNotAnInteger) << text;
    EXPECT_EQ(get("k"), text);
  }
}

TEST_F(StoreTest, LeavesAValueThatWouldOverflow) {
  set("max", "9223372036854775807");
  EXPECT_EQ(store_.increment("max", 1, now_ms_).status, StoreStatus::kOverflow);
  EXPECT_EQ(get("max"), "9223372036854775807");
  set("min", "-9223372036854775808");
  EXPECT_EQ(store_.increment("min", -1, now_ms_).status, StoreStatus::kOverflow);
  EXPECT_EQ(get("min"), "-9223372036854775808");
}

TEST_F(StoreTest, CountsRepeatedKeysAsRedisDoes) {
  set("a", "1");
  const std::array<std::string_view, 3> keys{"a", "a", "b"};
  EXPECT_EQ(store_.count(keys, now_ms_), 2U);
  EXPECT_EQ(store_.erase(keys, now_ms_), 1U);
  EXPECT_EQ(store_.size(), 0U);
}

TEST_F(StoreTest, SetsAndGetsManyKeysAtOnceTheLastOfARepeatedKeyWins) {
  const std::array<KeyValue, 3> pairs{{{"a", "1"}, {"b", "2"}, {"a", "3"}}};
  store_.set_all(pairs, now_ms_);
  const std::array<std::string_view, 3> keys{"a", "x", "b"};
  const std::vector<StringPtr> values = store_.get_all(keys, now_ms_);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(*values[0], "3");
  EXPECT_EQ(values[1], nullptr);
  EXPECT_EQ(*values[2], "2");
  EXPECT_EQ(store_.size(), 2U);
}

TEST_F(StoreTest, KeepsStringsAndListsApart) {
  const std::array<std::string_view, 2> values{"x", "y"};
  EXPECT_EQ(store_.push("l", values, ListEnd::kBack, now_ms_).value, 2U);
  EXPECT_EQ(store_.get("l", now_ms_).status, StoreStatus::kWrongType);
  EXPECT_EQ(store_.increment("l", 1, now_ms_).status, StoreStatus::kWrongType);
  const std::array<std::string_view, 1> key{"l"};
  EXPECT_EQ(store_.get_all(key, now_ms_).front(), nullptr);
  EXPECT_EQ(store_.type("l", now_ms_), ValueType::kList);
  set("s", "v");
  EXPECT_EQ(store_.push("s", values, ListEnd::kBack, now_ms_).status, StoreStatus::kWrongType);
  EXPECT_EQ(store_.pop("s", ListEnd::kBack, now_ms_).status, StoreStatus::kWrongType);
  EXPECT_EQ(store_.list_length("s", now_ms_).status, StoreStatus::kWrongType);
  set("l", "now a string");
  EXPECT_EQ(get("l"), "now a string");
}

TEST_F(StoreTest, TakesListElementsFromBothEndsAndRemovesAnEmptyList) {
  const std::array<std::string_view, 3> values{"a", "b", "c"};
  store_.push("l", values, ListEnd::kBack, now_ms_);
  EXPECT_EQ(store_.pop("l", ListEnd::kFront, now_ms_).value, "a");
  EXPECT_EQ(store_.pop("l", ListEnd::kBack, now_ms_).value, "c");
  EXPECT_EQ(store_.list_length("l", now_ms_).value, 1U);
  EXPECT_EQ(store_.pop("l", ListEnd::kBack, now_ms_).value, "b");
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_EQ(store_.pop("l", ListEnd::kBack, now_ms_).status, StoreStatus::kMissing);
}

TEST_F(StoreTest, WorksAfterClearingEverything) {
  for (int i = 0; i < 100; ++i) set("k" + std::to_string(i), "v", kStart + 1);
  store_.clear();
  EXPECT_EQ(store_.size(), 0U);
  now_ms_ = kStart + 2;
  EXPECT_EQ(sweep_all(), 0U);
  set("k", "v");
  EXPECT_EQ(get("k"), "v");
}

TEST_F(StoreTest, LosesNoIncrementOfConcurrentThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this] {
      for (int round = 0; round < kRounds; ++round) {
        (void)store_.increment("n", 1, kStart);
        store_.sweep(static_cast<unsigned>(round) % Store::kShards, kStart);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(get("n"), std::to_string(kThreads * kRounds));
}

// One thread always sets both keys to the same value, so another must never see them differ.
TEST_F(StoreTest, ShowsASetOfManyKeysWholeOrNotAtAll) {
  std::vector<std::thread> writers;
  for (const std::string_view value : {"1", "2"}) {
    writers.emplace_back([this, value] {
      // In either order of names: taking locks in that order would deadlock.
      const std::array<KeyValue, 2> forth{{{"first", value}, {"second key", value}}};
      const std::array<KeyValue, 2> back{{{"second key", value}, {"first", value}}};
      for (int round = 0; round < 2000; ++round)
        store_.set_all(round % 2 == 0 ? forth : back, kStart);
    });
  }
  const std::array<std::string_view, 2> keys{"first", "second key"};
  int torn = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<StringPtr> values = store_.get_all(keys, kStart);
    if ((values[0] == nullptr) != (values[1] == nullptr)) ++torn;
    if (values[0] != nullptr && values[1] != nullptr && *values[0] != *values[1]) ++torn;
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace kvd
