#pragma once
// Dictionaries as fragments that have their contents' hashes as names (README.md, "Dictionaries").

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

inline constexpr std::size_t kMostFragmentBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMostManifestFragments = std::size_t{1} << 16;
inline constexpr std::size_t kMostManifestBytes = 8 + kMostManifestFragments * sizeof(ContentHash);

// What is to be stored under its hash.
struct NamedContents {
  ContentHash hash{};
  Bytes bytes;
};

// The dictionary of one section, on the side of the shipper.
class DictionaryFragments {
 public:
  // The entries of a DICTIONARY block. An invalid entry ends them, as for a reader.
  void add(std::span<const std::byte> entries);

  // Cuts off what was added, and returns the contents that exist since the last call: fragments,
  // then the manifest with them.
  std::vector<NamedContents> cut();

  // Of all fragments until the last cut(); zeros without any.
  const ContentHash& manifest() const { return manifest_; }

 private:
  void end_fragment();

  Bytes open_;  // entries of the fragment that has not ended
  std::vector<NamedContents> fresh_;
  std::vector<ContentHash> fragments_;
  ContentHash manifest_{};
};

// False with `*why` if the bytes are not a manifest.
bool read_manifest(std::span<const std::byte> bytes, std::vector<ContentHash>& fragments,
                   std::string* why);

}  // namespace ringside::fleet
