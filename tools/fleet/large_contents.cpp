#include "tools/fleet/large_contents.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "tools/fleet/extent_message.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint32_t kListMagic = 0x4C505352;  // "RSPL"
constexpr std::size_t kListHeadBytes = 16;

struct PieceList {
  std::uint64_t bytes = 0;  // of all pieces
  std::vector<ContentHash> pieces;
};

Bytes write_list(const PieceList& list) {
  Bytes bytes(kListHeadBytes + list.pieces.size() * sizeof(ContentHash));
  trace::store(bytes.data(), kListMagic);
  trace::store(bytes.data() + 4, static_cast<std::uint32_t>(list.pieces.size()));
  trace::store(bytes.data() + 8, list.bytes);
  std::memcpy(bytes.data() + kListHeadBytes, list.pieces.data(), bytes.size() - kListHeadBytes);
  return bytes;
}

bool read_list(const Bytes& bytes, PieceList& list) {
  if (bytes.size() < kListHeadBytes || trace::load<std::uint32_t>(bytes.data()) != kListMagic)
    return false;
  const std::size_t count = trace::load<std::uint32_t>(bytes.data() + 4);
  list.bytes = trace::load<std::uint64_t>(bytes.data() + 8);
  if (count == 0 || bytes.size() != kListHeadBytes + count * sizeof(ContentHash)) return false;
  list.pieces.resize(count);
  std::memcpy(list.pieces.data(), bytes.data() + kListHeadBytes, bytes.size() - kListHeadBytes);
  return true;
}

FetchedWhole invalid(const std::string& key, const char* reason, std::string* why) {
  *why = fmt::format("the contents stored as {} {}", key, reason);
  return FetchedWhole::kInvalid;
}

}  // namespace

bool store_whole(const ContentHash& hash, const Bytes& contents, std::size_t most_bytes,
                 KeyOfHash key_of, const StoreContents& store) {
  if (contents.size() <= most_bytes) return store(key_of(hash), contents);
  if (most_bytes == 0) return false;
  PieceList list{contents.size(), {}};
  for (std::size_t at = 0; at < contents.size(); at += most_bytes) {
    const auto part = std::span(contents).subspan(at, std::min(most_bytes, contents.size() - at));
    const Bytes piece(part.begin(), part.end());
    list.pieces.push_back(content_hash(piece));
    if (!store(key_of(list.pieces.back()), piece)) return false;
  }
  const Bytes bytes = write_list(list);
  return bytes.size() <= most_bytes && store(key_of(hash), bytes);
}

FetchedWhole fetch_whole(const ContentHash& hash, std::size_t most_bytes, KeyOfHash key_of,
                         const FetchContents& fetch, Bytes& contents, std::string* why) {
  const std::string key = key_of(hash);
  Bytes stored;
  if (fetch(key, stored) != DeliveryQueue::Fetched::kYes) return FetchedWhole::kNotNow;
  if (content_hash(stored) == hash) {
    if (stored.size() > most_bytes) return invalid(key, "are too large", why);
    contents = std::move(stored);
    return FetchedWhole::kYes;
  }
  PieceList list;
  if (!read_list(stored, list)) return invalid(key, "do not have this hash", why);
  if (list.bytes > most_bytes) return invalid(key, "are too large", why);
  contents.clear();
  for (const ContentHash& piece : list.pieces) {
    const std::string piece_key = key_of(piece);
    if (fetch(piece_key, stored) != DeliveryQueue::Fetched::kYes) return FetchedWhole::kNotNow;
    if (content_hash(stored) != piece) return invalid(piece_key, "do not have this hash", why);
    if (stored.empty() || stored.size() > list.bytes - contents.size())
      return invalid(key, "have another length than stated", why);
    contents.insert(contents.end(), stored.begin(), stored.end());
  }
  return content_hash(contents) == hash ? FetchedWhole::kYes
                                        : invalid(key, "do not have this hash", why);
}

FetchedWhole fetch_named_body(std::span<const std::byte> payload, const FetchContents& fetch,
                              Bytes& whole, std::string* why) {
  whole.clear();
  ContentHash hash{};
  if (!names_body(payload, hash)) return FetchedWhole::kYes;
  Bytes body;
  const FetchedWhole fetched =
      fetch_whole(hash, kMostCompressedBodyBytes, body_key, fetch, body, why);
  if (fetched != FetchedWhole::kYes) return fetched;
  whole.assign(payload.begin(), payload.end());
  put_body(whole, body);
  return fetched;
}

}  // namespace ringside::fleet
