// The 16 bytes at the start of every block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace-format/blocks/format_constants.hpp"

namespace ringside::trace {

struct BlockFrame {
  BlockType type{};
  std::uint8_t version = 0;
  std::uint16_t flags = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t crc = 0;

  std::size_t block_bytes() const { return kBlockHeaderBytes + payload_bytes; }
};

// Writes the header of the block that starts at `block`; its payload of `payload_bytes` (at most
// kMaxPayloadBytes) already follows at kBlockHeaderBytes.
void write_block_frame(std::byte* block, BlockType type, std::size_t payload_bytes,
                       std::uint16_t flags = 0);

// Reads a block header. Returns false if fewer than 16 bytes are available, or if magic or length
// are wrong. Unknown types and versions are not an error.
bool parse_block_frame(std::span<const std::byte> bytes, BlockFrame& frame);

// Whether the CRC matches. `header`: the 16 bytes that the frame was parsed from.
bool check_block(std::span<const std::byte> header, std::span<const std::byte> payload);

}  // namespace ringside::trace
