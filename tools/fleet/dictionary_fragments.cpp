#include "tools/fleet/dictionary_fragments.hpp"

#include <cstring>
#include <utility>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint32_t kManifestMagic = 0x464D5352;  // "RSMF"
constexpr std::size_t kManifestHeadBytes = 8;
constexpr std::uint32_t kIdsOfFragment = 64;
// The id of a statement or of a table of names, in both kinds of entries.
constexpr std::size_t kIdAt = 8;

Bytes write_manifest(const std::vector<ContentHash>& fragments) {
  Bytes bytes(kManifestHeadBytes + fragments.size() * sizeof(ContentHash));
  trace::store(bytes.data(), kManifestMagic);
  trace::store(bytes.data() + 4, static_cast<std::uint32_t>(fragments.size()));
  std::memcpy(bytes.data() + kManifestHeadBytes, fragments.data(),
              fragments.size() * sizeof(ContentHash));
  return bytes;
}

}  // namespace

void DictionaryFragments::add(std::span<const std::byte> entries) {
  while (const std::uint32_t bytes = shm::entry_bytes(entries)) {
    if (!open_.empty() && open_.size() + bytes > kMostFragmentBytes) end_fragment();
    open_.insert(open_.end(), entries.begin(), entries.begin() + bytes);
    if (trace::load<std::uint32_t>(entries.data() + kIdAt) % kIdsOfFragment == 0) end_fragment();
    entries = entries.subspan(bytes);
  }
}

void DictionaryFragments::end_fragment() {
  fragments_.push_back(content_hash(open_));
  fresh_.push_back({fragments_.back(), std::exchange(open_, {})});
}

std::vector<NamedContents> DictionaryFragments::cut() {
  if (!open_.empty()) end_fragment();
  if (!fresh_.empty()) {
    Bytes bytes = write_manifest(fragments_);
    manifest_ = content_hash(bytes);
    fresh_.push_back({manifest_, std::move(bytes)});
  }
  return std::exchange(fresh_, {});
}

bool read_manifest(std::span<const std::byte> bytes, std::vector<ContentHash>& fragments,
                   std::string* why) {
  fragments.clear();
  if (bytes.size() < kManifestHeadBytes ||
      trace::load<std::uint32_t>(bytes.data()) != kManifestMagic) {
    *why = "it is not a manifest";
    return false;
  }
  const std::size_t count = trace::load<std::uint32_t>(bytes.data() + 4);
  if (count > kMostManifestFragments ||
      bytes.size() != kManifestHeadBytes + count * sizeof(ContentHash)) {
    *why = "the manifest has another length than its number of fragments";
    return false;
  }
  fragments.resize(count);
  const std::byte* from = bytes.data() + kManifestHeadBytes;
  for (ContentHash& hash : fragments) {
    std::memcpy(hash.data(), from, hash.size());
    from += hash.size();
  }
  return true;
}

}  // namespace ringside::fleet
