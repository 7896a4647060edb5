#include "libagent/examples/kvd/store.hpp"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <optional>

#include <ringside/ringside.hpp>

#include "libagent/examples/kvd/decimal.hpp"
#include "libagent/examples/kvd/trace_text.hpp"

namespace kvd {
namespace {

constexpr std::size_t kSweepKeys = 32;      // keys with an expiry checked in one sample
constexpr std::size_t kSweepBuckets = 512;  // buckets walked to find them
constexpr int kSweepSamples = 8;            // samples in one sweep

const char* type_name(const std::variant<StringPtr, List>& value) {
  return std::holds_alternative<StringPtr>(value) ? "string" : "list";
}

std::size_t value_size(const std::variant<StringPtr, List>& value) {
  if (const StringPtr* text = std::get_if<StringPtr>(&value)) return (*text)->size();
  return std::get<List>(value).size();
}

}  // namespace

Store::HashedKey Store::hashed(std::string_view key) {
  return {key, std::hash<std::string_view>{}(key)};
}

unsigned Store::shard_of(const HashedKey& key) {
  // The high bits: the map inside the shard uses the low ones for its buckets.
  static_assert(kShards == 16 && sizeof(key.hash) == 8);
  return static_cast<unsigned>(key.hash >> 60U);
}

std::unique_lock<std::mutex> Store::lock_shard(unsigned shard) {
  std::unique_lock<std::mutex> lock(shards_[shard].mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    const auto start = std::chrono::steady_clock::now();
    lock.lock();
    const std::chrono::duration<double, std::micro> waited =
        std::chrono::steady_clock::now() - start;
    RS_NOTICE("shard %u: lock was taken, waited %.3f us for it", shard, waited.count());
  }
  return lock;
}

Store::ShardLocks Store::lock_shards(std::uint32_t shard_set) {
  ShardLocks locks;
  for (unsigned shard = 0; shard < kShards; ++shard) {
    if ((shard_set >> shard & 1U) != 0) locks[shard] = lock_shard(shard);
  }
  return locks;
}

Store::Map::iterator Store::find_live(const HashedKey& key, TimeMs now_ms) {
  const unsigned index = shard_of(key);
  Shard& shard = shards_[index];
  RS_TRACE("lookup '%.*s': hash %016" PRIx64 ", shard %u with %zu keys", traced_length(key.text),
           key.text.data(), static_cast<std::uint64_t>(key.hash), index, shard.map.size());
  const Map::iterator found = shard.map.find(key);
  if (found == shard.map.end()) {
    RS_DEBUG("miss '%.*s' in shard %u", traced_length(key.text), key.text.data(), index);
    return found;
  }
  const Entry& entry = found->second;
  if (entry.expires_at_ms != kNever) {
    const TimeMs left_ms = entry.expires_at_ms - now_ms;
    RS_TRACE("expiry check '%.*s': %" PRId64 " ms left", traced_length(key.text), key.text.data(),
             left_ms);
    if (left_ms <= 0) {
      RS_INFO("expired '%.*s', met %" PRId64 " ms late", traced_length(key.text), key.text.data(),
              -left_ms);
      expired_.fetch_add(1, std::memory_order_relaxed);
      const Map::node_type removed = take(shard, found);
      return shard.map.end();
    }
  } else {
    RS_TRACE("expiry check '%.*s': never expires", traced_length(key.text), key.text.data());
  }
  RS_DEBUG("hit '%.*s' in shard %u: %s of size %zu", traced_length(key.text), key.text.data(),
           index, type_name(entry.value), value_size(entry.value));
  return found;
}

void Store::put(const HashedKey& key, Map::iterator found, Entry entry, Entry& replaced) {
  const unsigned index = shard_of(key);
  Shard& shard = shards_[index];
  const TimeMs expires_at_ms = std::exchange(entry.expires_at_ms, kNever);
  RS_DEBUG("store '%.*s' in shard %u: %s of size %zu, expires at %" PRId64 " ms",
           traced_length(key.text), key.text.data(), index, type_name(entry.value),
           value_size(entry.value), expires_at_ms);
  if (found == shard.map.end()) {
    found = shard.map.emplace(std::string(key.text), std::move(entry)).first;
    size_.fetch_add(1, std::memory_order_relaxed);
  } else {
    replaced.value = std::exchange(found->second.value, std::move(entry.value));
  }
  change_expiry(shard, found->second, expires_at_ms);
  RS_TRACE("store size: %zu keys, %zu of them in shard %u", size(), shard.map.size(), index);
}

Store::Map::node_type Store::take(Shard& shard, Map::iterator found) {
  change_expiry(shard, found->second, kNever);
  size_.fetch_sub(1, std::memory_order_relaxed);
  return shard.map.extract(found);
}

void Store::change_expiry(Shard& shard, Entry& entry, TimeMs expires_at_ms) {
  if (entry.expires_at_ms != kNever) --shard.expiring;
  if (expires_at_ms != kNever) ++shard.expiring;
  entry.expires_at_ms = expires_at_ms;
}

StoreResult<StringPtr> Store::get(std::string_view key, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  const auto lock = lock_shard(shard);
  const Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shards_[shard].map.end()) return {};
  const StringPtr* const text = std::get_if<StringPtr>(&found->second.value);
  if (text == nullptr) return {StoreStatus::kWrongType, nullptr};
  return {StoreStatus::kOk, *text};
}

std::vector<StringPtr> Store::get_all(std::span<const std::string_view> keys, TimeMs now_ms) {
  std::vector<HashedKey> hashed_keys;
  hashed_keys.reserve(keys.size());
  std::uint32_t shard_set = 0;
  for (const std::string_view key : keys) {
    hashed_keys.push_back(hashed(key));
    shard_set |= 1U << shard_of(hashed_keys.back());
  }
  std::vector<StringPtr> values;
  values.reserve(keys.size());
  const ShardLocks locks = lock_shards(shard_set);
  for (const HashedKey& key : hashed_keys) {
    const Map::iterator found = find_live(key, now_ms);
    const bool missing = found == shards_[shard_of(key)].map.end();
    const StringPtr* const text = missing ? nullptr : std::get_if<StringPtr>(&found->second.value);
    values.push_back(text == nullptr ? nullptr : *text);
  }
  return values;
}

bool Store::set(std::string_view key, std::string_view value, SetCondition condition,
                TimeMs expires_at_ms, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  // Created before the lock and, if replaced, destroyed after it.
  Entry entry{std::make_shared<const std::string>(value), expires_at_ms};
  Entry replaced;
  const auto lock = lock_shard(shard);
  const Map::iterator found = find_live(hashed_key, now_ms);
  const bool present = found != shards_[shard].map.end();
  if (condition != SetCondition::kAlways && present != (condition == SetCondition::kIfPresent)) {
    return false;
  }
  put(hashed_key, found, std::move(entry), replaced);
  return true;
}

void Store::set_all(std::span<const KeyValue> pairs, TimeMs now_ms) {
  std::vector<HashedKey> keys;
  std::vector<Entry> entries;
  std::vector<Entry> replaced(pairs.size());
  keys.reserve(pairs.size());
  entries.reserve(pairs.size());
  std::uint32_t shard_set = 0;
  for (const KeyValue& pair : pairs) {
    keys.push_back(hashed(pair.key));
    shard_set |= 1U << shard_of(keys.back());
    entries.push_back({std::make_shared<const std::string>(pair.value), kNever});
  }
  const ShardLocks locks = lock_shards(shard_set);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    put(keys[i], find_live(keys[i], now_ms), std::move(entries[i]), replaced[i]);
  }
}

std::size_t Store::erase(std::span<const std::string_view> keys, TimeMs now_ms) {
  std::vector<Map::node_type> removed;
  std::uint32_t shard_set = 0;
  for (const std::string_view key : keys) shard_set |= 1U << shard_of(hashed(key));
  const ShardLocks locks = lock_shards(shard_set);
  for (const std::string_view key : keys) {
    const HashedKey hashed_key = hashed(key);
    Shard& shard = shards_[shard_of(hashed_key)];
    const Map::iterator found = find_live(hashed_key, now_ms);
    if (found != shard.map.end()) removed.push_back(take(shard, found));
  }
  return removed.size();
}

std::size_t Store::count(std::span<const std::string_view> keys, TimeMs now_ms) {
  std::uint32_t shard_set = 0;
  for (const std::string_view key : keys) shard_set |= 1U << shard_of(hashed(key));
  const ShardLocks locks = lock_shards(shard_set);
  std::size_t present = 0;
  for (const std::string_view key : keys) {
    const HashedKey hashed_key = hashed(key);
    if (find_live(hashed_key, now_ms) != shards_[shard_of(hashed_key)].map.end()) ++present;
  }
  return present;
}

StoreResult<std::int64_t> Store::increment(std::string_view key, std::int64_t delta,
                                           TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  Entry replaced;
  const auto lock = lock_shard(shard);
  const Map::iterator found = find_live(hashed_key, now_ms);
  std::int64_t value = 0;
  TimeMs expires_at_ms = kNever;
  if (found != shards_[shard].map.end()) {
    const StringPtr* const text = std::get_if<StringPtr>(&found->second.value);
    if (text == nullptr) return {StoreStatus::kWrongType, 0};
    const std::optional<std::int64_t> parsed = parse_decimal(**text);
    if (!parsed) return {StoreStatus::kNotAnInteger, 0};
    value = *parsed;
    expires_at_ms = found->second.expires_at_ms;
  }
  if (__builtin_add_overflow(value, delta, &value)) return {StoreStatus::kOverflow, 0};
  put(hashed_key, found,
      {std::make_shared<const std::string>(std::to_string(value)), expires_at_ms}, replaced);
  return {StoreStatus::kOk, value};
}

bool Store::expire_at(std::string_view key, TimeMs expires_at_ms, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned index = shard_of(hashed_key);
  Shard& shard = shards_[index];
  Map::node_type removed;
  const auto lock = lock_shard(index);
  const Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shard.map.end()) return false;
  if (expires_at_ms <= now_ms) {
    removed = take(shard, found);
  } else {
    change_expiry(shard, found->second, expires_at_ms);
  }
  return true;
}

StoreResult<TimeMs> Store::time_to_live(std::string_view key, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  const auto lock = lock_shard(shard);
  const Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shards_[shard].map.end()) return {};
  const TimeMs expires_at_ms = found->second.expires_at_ms;
  return {StoreStatus::kOk, expires_at_ms == kNever ? kNever : expires_at_ms - now_ms};
}

ValueType Store::type(std::string_view key, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  const auto lock = lock_shard(shard);
  const Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shards_[shard].map.end()) return ValueType::kNone;
  return std::holds_alternative<List>(found->second.value) ? ValueType::kList : ValueType::kString;
}

StoreResult<std::size_t> Store::push(std::string_view key, std::span<const std::string_view> values,
                                     ListEnd end, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  Entry replaced;
  const auto lock = lock_shard(shard);
  Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shards_[shard].map.end()) {
    put(hashed_key, found, {List(), kNever}, replaced);
    found = shards_[shard].map.find(hashed_key);
  }
  List* const list = std::get_if<List>(&found->second.value);
  if (list == nullptr) return {StoreStatus::kWrongType, 0};
  for (const std::string_view value : values) {
    if (end == ListEnd::kFront) {
      list->emplace_front(value);
    } else {
      list->emplace_back(value);
    }
  }
  return {StoreStatus::kOk, list->size()};
}

StoreResult<std::string> Store::pop(std::string_view key, ListEnd end, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned index = shard_of(hashed_key);
  Shard& shard = shards_[index];
  Map::node_type removed;
  const auto lock = lock_shard(index);
  const Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shard.map.end()) return {};
  List* const list = std::get_if<List>(&found->second.value);
  if (list == nullptr) return {StoreStatus::kWrongType, {}};
  StoreResult<std::string> result{StoreStatus::kOk, {}};
  if (end == ListEnd::kFront) {
    result.value = std::move(list->front());
    list->pop_front();
  } else {
    result.value = std::move(list->back());
    list->pop_back();
  }
  if (list->empty()) removed = take(shard, found);
  return result;
}

StoreResult<std::size_t> Store::list_length(std::string_view key, TimeMs now_ms) {
  const HashedKey hashed_key = hashed(key);
  const unsigned shard = shard_of(hashed_key);
  const auto lock = lock_shard(shard);
  const Map::iterator found = find_live(hashed_key, now_ms);
  if (found == shards_[shard].map.end()) return {};
  const List* const list = std::get_if<List>(&found->second.value);
  if (list == nullptr) return {StoreStatus::kWrongType, 0};
  return {StoreStatus::kOk, list->size()};
}

void Store::clear() {
  std::array<Map, kShards> removed;
  const ShardLocks locks = lock_shards((1U << kShards) - 1U);
  for (unsigned shard = 0; shard < kShards; ++shard) {
    removed[shard].swap(shards_[shard].map);
    shards_[shard].expiring = 0;
    shards_[shard].sweep_bucket = 0;
  }
  const std::size_t keys = size_.exchange(0, std::memory_order_relaxed);
  RS_NOTICE("all %zu keys removed", keys);
}

std::size_t Store::sweep(unsigned shard, TimeMs now_ms) {
  std::size_t total = 0;
  for (int sample = 0; sample < kSweepSamples; ++sample) {
    std::size_t looked_at = 0;
    std::vector<Map::node_type> removed;
    std::size_t expired = 0;
    {
      // A lock for each sample: a request waits for at most one sample, never for the whole sweep.
      const auto lock = lock_shard(shard);
      expired = sweep_sample(shards_[shard], now_ms, looked_at, removed);
    }
    total += expired;
    // A quarter is Redis' rule: below it the rest is left to lazy removal.
    if (looked_at == 0 || expired * 4 < looked_at) break;
  }
  if (total > 0) {
    RS_INFO("sweep of shard %u removed %zu expired keys, %zu keys left in the store", shard, total,
            size());
  }
  return total;
}

std::size_t Store::sweep_sample(Shard& shard, TimeMs now_ms, std::size_t& looked_at,
                                std::vector<Map::node_type>& removed) {
  if (shard.expiring == 0) return 0;
  std::vector<std::string> expired;
  const std::size_t buckets = shard.map.bucket_count();
  for (std::size_t walked = 0; walked < std::min(buckets, kSweepBuckets); ++walked) {
    if (looked_at >= kSweepKeys) break;
    // The bucket count may have changed since the last sweep.
    shard.sweep_bucket %= buckets;
    for (auto it = shard.map.begin(shard.sweep_bucket); it != shard.map.end(shard.sweep_bucket);
         ++it) {
      if (it->second.expires_at_ms == kNever) continue;
      ++looked_at;
      if (it->second.expires_at_ms <= now_ms) expired.push_back(it->first);
    }
    ++shard.sweep_bucket;
  }
  for (const std::string& key : expired) {
    removed.push_back(take(shard, shard.map.find(hashed(key))));
  }
  expired_.fetch_add(expired.size(), std::memory_order_relaxed);
  return expired.size();
}

}  // namespace kvd
