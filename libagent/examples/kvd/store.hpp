// The data: a hash map in kShards parts, each with its own lock, and keys that expire.
//
// Thread-safe. A call that names several keys locks all their shards at once, in ascending order,
// so that it is atomic, as in Redis. The caller provides the clock: every call takes the time, in
// milliseconds of any monotonic clock, and a key is gone once `now_ms` has reached its expiry.
// Expired keys are removed when a call finds them (lazily) and by sweep() (sampled).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace kvd {

using TimeMs = std::int64_t;
inline constexpr TimeMs kNever = std::numeric_limits<TimeMs>::max();

// Shared, so that a large value is copied to a reply after the shard's lock has been released.
using StringPtr = std::shared_ptr<const std::string>;
using List = std::deque<std::string>;

enum class ValueType { kNone, kString, kList };
enum class SetCondition { kAlways, kIfMissing, kIfPresent };
enum class ListEnd { kFront, kBack };

enum class StoreStatus { kOk, kMissing, kWrongType, kNotAnInteger, kOverflow };

template <typename T>
struct StoreResult {
  StoreStatus status = StoreStatus::kMissing;
  T value{};
};

struct KeyValue {
  std::string_view key;
  std::string_view value;
};

class Store {
 public:
  static constexpr unsigned kShards = 16;

  [[nodiscard]] StoreResult<StringPtr> get(std::string_view key, TimeMs now_ms);
  // One element for each key; null if there is no string.
  [[nodiscard]] std::vector<StringPtr> get_all(std::span<const std::string_view> keys,
                                               TimeMs now_ms);
  // Returns false if the condition was not met. Replaces a value of any type, and its expiry.
  bool set(std::string_view key, std::string_view value, SetCondition condition,
           TimeMs expires_at_ms, TimeMs now_ms);
  void set_all(std::span<const KeyValue> pairs, TimeMs now_ms);
  // The number of keys that existed; a key named twice counts once.
  std::size_t erase(std::span<const std::string_view> keys, TimeMs now_ms);
  // The number of keys that exist; a key named twice counts twice.
  [[nodiscard]] std::size_t count(std::span<const std::string_view> keys, TimeMs now_ms);
  // A missing key counts as 0. Keeps the expiry.
  StoreResult<std::int64_t> increment(std::string_view key, std::int64_t delta, TimeMs now_ms);

  // False if there is no such key. A time in the past removes the key.
  bool expire_at(std::string_view key, TimeMs expires_at_ms, TimeMs now_ms);
  // The time left; kNever for a key that does not expire.
  [[nodiscard]] StoreResult<TimeMs> time_to_live(std::string_view key, TimeMs now_ms);
  [[nodiscard]] ValueType type(std::string_view key, TimeMs now_ms);

  // The list's new length.
  StoreResult<std::size_t> push(std::string_view key, std::span<const std::string_view> values,
                                ListEnd end, TimeMs now_ms);
  // Takes one element; a list that becomes empty is removed.
  StoreResult<std::string> pop(std::string_view key, ListEnd end, TimeMs now_ms);
  [[nodiscard]] StoreResult<std::size_t> list_length(std::string_view key, TimeMs now_ms);

  // Stored keys, including expired keys that no call has found yet.
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t expired_keys() const {
    return expired_.load(std::memory_order_relaxed);
  }
  void clear();

  // Checks a bounded sample of one shard's keys, continues while many of them have expired, and
  // returns how many it removed. `shard` < kShards.
  std::size_t sweep(unsigned shard, TimeMs now_ms);

 private:
  struct Entry {
    std::variant<StringPtr, List> value;
    TimeMs expires_at_ms = kNever;
  };
  // The hash is computed once per call: it chooses the shard and is then used by the shard's map.
  struct HashedKey {
    std::string_view text;
    std::size_t hash = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const std::string& key) const {
      return std::hash<std::string_view>{}(key);
    }
    std::size_t operator()(const HashedKey& key) const { return key.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const std::string& a, const std::string& b) const { return a == b; }
    bool operator()(const HashedKey& a, const std::string& b) const { return a.text == b; }
    bool operator()(const std::string& a, const HashedKey& b) const { return a == b.text; }
  };
  using Map = std::unordered_map<std::string, Entry, Hash, Equal>;
  struct alignas(64) Shard {
    std::mutex mutex;
    Map map;
    std::size_t expiring = 0;  // entries with an expiry: a shard without any needs no sweep
    std::size_t sweep_bucket = 0;
  };
  using ShardLocks = std::array<std::unique_lock<std::mutex>, kShards>;

  [[nodiscard]] static HashedKey hashed(std::string_view key);
  [[nodiscard]] static unsigned shard_of(const HashedKey& key);
  [[nodiscard]] std::unique_lock<std::mutex> lock_shard(unsigned shard);
  [[nodiscard]] ShardLocks lock_shards(std::uint32_t shard_set);

  // All functions below need the key's shard locked. Returns the iterator of a key that exists at
  // now_ms, otherwise end(); removes the key if it has expired.
  [[nodiscard]] Map::iterator find_live(const HashedKey& key, TimeMs now_ms);
  // `replaced` receives the entry to destroy after the lock: it may have megabytes.
  void put(const HashedKey& key, Map::iterator found, Entry entry, Entry& replaced);
  [[nodiscard]] Map::node_type take(Shard& shard, Map::iterator found);
  static void change_expiry(Shard& shard, Entry& entry, TimeMs expires_at_ms);
  [[nodiscard]] std::size_t sweep_sample(Shard& shard, TimeMs now_ms, std::size_t& looked_at,
                                         std::vector<Map::node_type>& removed);

  std::array<Shard, kShards> shards_;
  // Both are statistics: no decision depends on their value, so relaxed.
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> expired_{0};
};

}  // namespace kvd
