#pragma once
// The key-value bucket of dictionaries: contents under their hash.

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

// Not thread-safe. `connection` must outlive it.
class DictionaryBucket {
 public:
  explicit DictionaryBucket(NatsConnection& connection) : connection_(connection) {}
  ~DictionaryBucket();
  DictionaryBucket(const DictionaryBucket&) = delete;
  DictionaryBucket& operator=(const DictionaryBucket&) = delete;

  // True if contents are stored under the key, now or before; false with `*why`.
  bool store(std::string_view key, const Bytes& contents, std::string* why);
  // `*why` for kUnknown.
  DeliveryQueue::Fetched fetch(std::string_view key, Bytes& contents, std::string* why);

 private:
  bool open(std::string* why);

  NatsConnection& connection_;
  kvStore* bucket_ = nullptr;  // at first use: the server need not be reachable before
};

}  // namespace ringside::fleet
