#pragma once
// Fetches dictionaries and bodies, and remembers what the queue does not have.

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "tools/fleet/large_contents.hpp"

namespace ringside::fleet {

// Not thread-safe.
class ContentsFetch {
 public:
  explicit ContentsFetch(FetchContents fetch) : fetch_(std::move(fetch)) {}

  // As fetch_whole() and fetch_named_body().
  FetchedWhole whole(const ContentHash& hash, std::size_t most_bytes, Bytes& contents,
                     std::string* why);
  FetchedWhole named_body(std::span<const std::byte> payload, Bytes& whole, std::string* why);

  // After kNotNow: the key that is not stored, or not yet; empty: the queue could not be asked.
  const std::string& missing() const { return missing_; }

 private:
  FetchContents noting();

  const FetchContents fetch_;
  std::string missing_;
};

}  // namespace ringside::fleet
