#include "tools/fleet/dictionary_bucket.hpp"

#include <climits>
#include <cstddef>

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/publish_answer.hpp"

namespace ringside::fleet {

DictionaryBucket::~DictionaryBucket() {
  kvStore_Destroy(bucket_);
}

bool DictionaryBucket::open(std::string* why) {
  // Otherwise requests would wait for a connection, until their timeout.
  if (!connection_.is_connected()) {
    *why = connection_.state();
    return false;
  }
  if (bucket_ != nullptr) return true;
  const natsStatus status = js_KeyValue(&bucket_, connection_.jetstream(), kDictionaryBucket);
  if (status == NATS_OK) return true;
  bucket_ = nullptr;
  *why =
      fmt::format("cannot open the bucket {}: {}; check the connection, and that the bucket exists",
                  kDictionaryBucket, nats_reason(status));
  return false;
}

// Publishes to the subject of the key itself: kvStore_Create() does not report the server's error
// code, which distinguishes an existing key from a failure.
bool DictionaryBucket::store(std::string_view key, const Bytes& contents, std::string* why) {
  if (!open(why)) return false;
  if (contents.size() > INT_MAX) {
    *why = fmt::format("cannot store the dictionary {}: more than 2 GiB; report this", key);
    return false;
  }
  const auto size = static_cast<int>(contents.size());
  const std::string name(key);
  const std::string subject = fmt::format("$KV.{}.{}", kDictionaryBucket, name);
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.ExpectNoMessage = true;
  jsErrCode code{};
  natsStatus status = js_Publish(nullptr, connection_.jetstream(), subject.c_str(), contents.data(),
                                 size, &options, &code);
  if (status == NATS_OK) return true;
  if (is_other_last(code)) {
    // The last message of the key can be a deletion, which only this tells.
    kvEntry* entry = nullptr;
    status = kvStore_Get(&entry, bucket_, name.c_str());
    kvEntry_Destroy(entry);
    if (status == NATS_OK) return true;
    code = {};
    if (status == NATS_NOT_FOUND) {
      status = kvStore_Create(nullptr, bucket_, name.c_str(), contents.data(), size);
      if (status == NATS_OK) return true;
    }
  }
  *why =
      fmt::format("cannot store the dictionary {}: {}; check the connection and the limits of {}",
                  key, nats_reason(status, code), kDictionaryBucket);
  return false;
}

DeliveryQueue::Fetched DictionaryBucket::fetch(std::string_view key, Bytes& contents,
                                               std::string* why) {
  if (!open(why)) return DeliveryQueue::Fetched::kUnknown;
  kvEntry* entry = nullptr;
  const natsStatus status = kvStore_Get(&entry, bucket_, std::string(key).c_str());
  if (status == NATS_NOT_FOUND) return DeliveryQueue::Fetched::kMissing;
  if (status != NATS_OK) {
    *why = fmt::format("cannot fetch the dictionary {}: {}; check the connection", key,
                       nats_reason(status));
    return DeliveryQueue::Fetched::kUnknown;
  }
  const auto* const begin = static_cast<const std::byte*>(kvEntry_Value(entry));
  contents.assign(begin, begin + kvEntry_ValueLen(entry));
  kvEntry_Destroy(entry);
  return DeliveryQueue::Fetched::kYes;
}

}  // namespace ringside::fleet
