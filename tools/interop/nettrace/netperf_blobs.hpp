#pragma once
// Decodes the events of NetPerf files (versions 1 to 3), and the end of a file of version 1 or 2.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tools/interop/nettrace/nettrace_blobs.hpp"
#include "tools/interop/nettrace/nettrace_format.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {

// The events of a file, one after the other. Each has its own stack, and the size that it states
// includes its padding.
class NetperfDecoder {
 public:
  // The event at the front of `bytes`, like BlobDecoder::next().
  BlobEnd next(std::span<const std::byte> bytes, bool /*last*/) {
    bytes_wanted_ = kHeaderBytes;
    if (bytes.size() < bytes_wanted_) return BlobEnd::kShort;
    const std::byte* const p = bytes.data();
    const auto size = trace::load<std::uint32_t>(p);
    const auto payload_bytes = trace::load<std::uint32_t>(p + 52);
    if (size < kLeastBytes || size - kLeastBytes < payload_bytes) return BlobEnd::kBad;
    bytes_wanted_ = std::size_t{4} + size;
    if (bytes.size() < bytes_wanted_) return BlobEnd::kShort;
    const std::size_t stack_at = kHeaderBytes + payload_bytes;
    const auto stack_bytes = trace::load<std::uint32_t>(p + stack_at);
    if (size - kLeastBytes - payload_bytes < stack_bytes) return BlobEnd::kBad;
    blob_.metadata_id = trace::load<std::uint32_t>(p + 4);
    blob_.thread = blob_.capture_thread = trace::load<std::uint32_t>(p + 8);
    blob_.processor = kUnknownProcessor;
    blob_.timestamp = trace::load<std::uint64_t>(p + 12);
    std::memcpy(blob_.activity.data(), p + 20, 16);
    std::memcpy(blob_.related.data(), p + 36, 16);
    blob_.sorted = true;
    blob_.payload_bytes = payload_bytes;
    blob_.payload = bytes.subspan(kHeaderBytes, payload_bytes);
    blob_.stack = bytes.subspan(stack_at + 4, stack_bytes);
    blob_bytes_ = bytes_wanted_;
    return BlobEnd::kWhole;
  }

  Blob& blob() { return blob_; }
  std::size_t blob_bytes() const { return blob_bytes_; }
  std::size_t bytes_wanted() const { return bytes_wanted_; }

 private:
  static constexpr std::size_t kHeaderBytes = 56;
  // The value of the size of an event with neither payload nor stack.
  static constexpr std::uint32_t kLeastBytes = 56;

  Blob blob_;
  std::size_t blob_bytes_ = 0;
  std::size_t bytes_wanted_ = 0;
};

// What follows the events in versions 1 and 2: the end of the trace object, and a table of one
// position, that of this end. Positions are truncated to 32 bits.
inline constexpr std::size_t kStreamEndBytes = 1 + 4 + 4 + 4 + 4;

// `offset`: that of the first byte in the file. An event cannot look the same: the positions would
// have to match.
inline bool is_stream_end(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (bytes.size() < kStreamEndBytes || bytes[0] != static_cast<std::byte>(Tag::kEndObject)) {
    return false;
  }
  const auto position = [offset](std::uint64_t bytes_before) {
    return static_cast<std::uint32_t>(offset + bytes_before);
  };
  const std::byte* const p = bytes.data();
  return trace::load<std::uint32_t>(p + 1) == 1 &&            // one position
         trace::load<std::uint32_t>(p + 5) == position(0) &&  // the end of the events
         trace::load<std::uint32_t>(p + 9) == position(1) &&  // the table
         trace::load<std::uint32_t>(p + 13) == position(9);   // what follows the table
}

}  // namespace ringside::tool::nettrace
