#include "tools/fleet/contents_fetch.hpp"

#include <string_view>

namespace ringside::fleet {

FetchContents ContentsFetch::noting() {
  missing_.clear();
  return [this](std::string_view key, Bytes& contents) {
    const DeliveryQueue::Fetched fetched = fetch_(key, contents);
    if (fetched == DeliveryQueue::Fetched::kMissing) missing_ = key;
    return fetched;
  };
}

FetchedWhole ContentsFetch::whole(const ContentHash& hash, std::size_t most_bytes, Bytes& contents,
                                  std::string* why) {
  return fetch_whole(hash, most_bytes, hash_key, noting(), contents, why);
}

FetchedWhole ContentsFetch::named_body(std::span<const std::byte> payload, Bytes& whole,
                                       std::string* why) {
  return fetch_named_body(payload, noting(), whole, why);
}

}  // namespace ringside::fleet
