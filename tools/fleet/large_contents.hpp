#pragma once
// Contents that do not fit into one message, as pieces (README.md, "Large contents").

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

using KeyOfHash = std::string (*)(const ContentHash& hash);
using StoreContents = std::function<bool(std::string_view key, const Bytes& contents)>;
using FetchContents = std::function<DeliveryQueue::Fetched(std::string_view key, Bytes& contents)>;

// Stores contents under their hash; if they exceed `most_bytes`, their pieces first. False if
// something could not be stored, or if even the list of the pieces exceeds `most_bytes`.
bool store_whole(const ContentHash& hash, const Bytes& contents, std::size_t most_bytes,
                 KeyOfHash key_of, const StoreContents& store);

enum class FetchedWhole : std::uint8_t {
  kYes,
  kNotNow,   // something is missing, or the queue does not answer
  kInvalid,  // what is stored does not have its hash, or exceeds `most_bytes`; `*why`
};
FetchedWhole fetch_whole(const ContentHash& hash, std::size_t most_bytes, KeyOfHash key_of,
                         const FetchContents& fetch, Bytes& contents, std::string* why);

// Puts the body of a message that names it where other messages have it: `whole` is the message, or
// empty if `payload` is. After kNotNow, `*why` is unchanged.
FetchedWhole fetch_named_body(std::span<const std::byte> payload, const FetchContents& fetch,
                              Bytes& whole, std::string* why);

}  // namespace ringside::fleet
