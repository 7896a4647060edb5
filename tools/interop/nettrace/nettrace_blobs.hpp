#pragma once
// Decodes the headers of events, compressed and uncompressed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tools/interop/nettrace/nettrace_format.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {

enum class BlobEnd : std::uint8_t {
  kWhole,
  kShort,  // the bytes end before the event does
  kBad,    // not an event
};

// The events of one block, one after the other: each header is relative to the previous one.
class BlobDecoder {
 public:
  // `offset`: that of the first event in the file, which uncompressed events are aligned to.
  BlobDecoder(bool compressed, std::uint64_t offset) : compressed_(compressed), offset_(offset) {}

  // The event at the front of `bytes`. kShort: `bytes_wanted` has the least number of bytes needed;
  // the next call must have the same bytes and more. `last`: the block has no bytes after them.
  BlobEnd next(std::span<const std::byte> bytes, bool last) {
    return compressed_ ? next_compressed(bytes) : next_plain(bytes, last);
  }

  const Blob& blob() const { return blob_; }
  Blob& blob() { return blob_; }
  std::size_t blob_bytes() const { return blob_bytes_; }  // of the last event, with its padding
  std::size_t bytes_wanted() const { return bytes_wanted_; }

 private:
  static constexpr std::size_t kMostHeaderBytes = 1 + 5 + 5 + 10 + 5 + 10 + 5 + 10 + 16 + 16 + 5;
  static constexpr std::size_t kPlainHeaderBytes = 80;

  struct Walk {
    const std::byte* at;
    const std::byte* end;
    bool is_short = false;
    bool is_bad = false;

    template <unsigned kMostBytes>
    std::uint64_t varint() {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < kMostBytes; ++i) {
        if (at == end) {
          is_short = true;
          return 0;
        }
        const auto byte = static_cast<std::uint64_t>(*at++);
        value |= (byte & 0x7F) << (7 * i);
        if (byte < 0x80) return value;
      }
      is_bad = true;
      return 0;
    }
    std::uint32_t varint32() { return static_cast<std::uint32_t>(varint<5>()); }
    std::uint64_t varint64() { return varint<10>(); }
    void guid(Guid& guid) {
      if (static_cast<std::size_t>(end - at) < guid.size()) {
        is_short = true;
        at = end;
        return;
      }
      std::memcpy(guid.data(), at, guid.size());
      at += guid.size();
    }
  };

  BlobEnd next_compressed(std::span<const std::byte> bytes) {
    if (header_bytes_ == 0) {
      bytes_wanted_ = kMostHeaderBytes;
      if (bytes.empty()) return BlobEnd::kShort;
      Walk walk{bytes.data(), bytes.data() + bytes.size()};
      if (bytes.size() >= kMostHeaderBytes) {
        take_header(walk);
      } else {
        const Blob before = blob_;
        take_header(walk);
        if (walk.is_short) blob_ = before;
      }
      if (walk.is_bad) return BlobEnd::kBad;
      if (walk.is_short) return BlobEnd::kShort;
      header_bytes_ = static_cast<std::size_t>(walk.at - bytes.data());
    }
    // A header is not read again when its payload arrives.
    bytes_wanted_ = header_bytes_ + blob_.payload_bytes;
    if (bytes.size() < bytes_wanted_) return BlobEnd::kShort;
    blob_.payload = bytes.subspan(header_bytes_, blob_.payload_bytes);
    blob_bytes_ = bytes_wanted_;
    header_bytes_ = 0;
    return BlobEnd::kWhole;
  }

  void take_header(Walk& walk) {
    const auto flags = static_cast<unsigned>(*walk.at++);
    blob_.flags = static_cast<std::uint8_t>(flags);
    if ((flags & kHasMetadataId) != 0) blob_.metadata_id = walk.varint32();
    if ((flags & kHasSequence) != 0) {
      blob_.sequence += walk.varint32();
      blob_.capture_thread = walk.varint64();
      blob_.processor = walk.varint32();
    }
    ++blob_.sequence;
    if ((flags & kHasThread) != 0) blob_.thread = walk.varint64();
    if ((flags & kHasStack) != 0) blob_.stack_id = walk.varint32();
    blob_.timestamp += walk.varint64();
    if ((flags & kHasActivity) != 0) walk.guid(blob_.activity);
    if ((flags & kHasRelatedActivity) != 0) walk.guid(blob_.related);
    blob_.sorted = (flags & kIsSorted) != 0;
    if ((flags & kHasPayloadBytes) != 0) blob_.payload_bytes = walk.varint32();
  }

  BlobEnd next_plain(std::span<const std::byte> bytes, bool last) {
    bytes_wanted_ = kPlainHeaderBytes;
    if (bytes.size() < bytes_wanted_) return BlobEnd::kShort;
    const std::byte* const p = bytes.data();
    const auto size = trace::load<std::uint32_t>(p);
    const auto payload_bytes = trace::load<std::uint32_t>(p + 76);
    if (size < kPlainHeaderBytes - 4 || size - (kPlainHeaderBytes - 4) < payload_bytes) {
      return BlobEnd::kBad;
    }
    bytes_wanted_ = std::size_t{4} + size;
    if (bytes.size() < bytes_wanted_) return BlobEnd::kShort;
    // The size includes the padding. A writer that omits padding can also omit that of the last
    // event.
    blob_bytes_ = bytes_wanted_ += (4 - (offset_ + bytes_wanted_) % 4) % 4;
    if (bytes.size() < blob_bytes_) {
      if (!last) return BlobEnd::kShort;
      blob_bytes_ = bytes.size();
    }
    const auto id = trace::load<std::uint32_t>(p + 4);
    blob_.metadata_id = id & ~kNotSorted;
    blob_.sorted = (id & kNotSorted) == 0;
    blob_.sequence = trace::load<std::uint32_t>(p + 8);
    blob_.thread = trace::load<std::uint64_t>(p + 12);
    blob_.capture_thread = trace::load<std::uint64_t>(p + 20);
    blob_.processor = trace::load<std::uint32_t>(p + 28);
    blob_.stack_id = trace::load<std::uint32_t>(p + 32);
    blob_.timestamp = trace::load<std::uint64_t>(p + 36);
    std::memcpy(blob_.activity.data(), p + 44, 16);
    std::memcpy(blob_.related.data(), p + 60, 16);
    blob_.payload_bytes = payload_bytes;
    blob_.payload = bytes.subspan(kPlainHeaderBytes, payload_bytes);
    offset_ += blob_bytes_;
    return BlobEnd::kWhole;
  }

  bool compressed_;
  std::uint64_t offset_;  // of the next event; only for uncompressed ones
  Blob blob_;
  std::size_t blob_bytes_ = 0;
  std::size_t bytes_wanted_ = 0;
  std::size_t header_bytes_ = 0;  // of a header that was read without its payload
};

}  // namespace ringside::tool::nettrace
