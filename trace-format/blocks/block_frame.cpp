#include "trace-format/blocks/block_frame.hpp"

#include <cassert>

#include "trace-format/blocks/crc32c.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kCrcOffset = 12;

}  // namespace

void write_block_frame(std::byte* block, BlockType type, std::size_t payload_bytes,
                       std::uint16_t flags) {
  assert(payload_bytes <= kMaxPayloadBytes);
  store(block, kBlockMagic);
  store(block + 4, static_cast<std::uint8_t>(type));
  store(block + 5, kBlockVersion);
  store(block + 6, flags);
  store(block + 8, static_cast<std::uint32_t>(payload_bytes));
  const std::uint32_t crc = crc32c(0, {block, kCrcOffset});
  store(block + kCrcOffset, crc32c(crc, {block + kBlockHeaderBytes, payload_bytes}));
}

bool parse_block_frame(std::span<const std::byte> bytes, BlockFrame& frame) {
  if (bytes.size() < kBlockHeaderBytes) return false;
  const std::byte* p = bytes.data();
  frame.type = static_cast<BlockType>(load<std::uint8_t>(p + 4));
  frame.version = load<std::uint8_t>(p + 5);
  frame.flags = load<std::uint16_t>(p + 6);
  frame.payload_bytes = load<std::uint32_t>(p + 8);
  frame.crc = load<std::uint32_t>(p + kCrcOffset);
  return load<std::uint32_t>(p) == kBlockMagic && frame.payload_bytes <= kMaxPayloadBytes;
}

bool check_block(std::span<const std::byte> header, std::span<const std::byte> payload) {
  if (header.size() < kBlockHeaderBytes) return false;
  const std::uint32_t crc = crc32c(crc32c(0, header.first(kCrcOffset)), payload);
  return crc == load<std::uint32_t>(header.data() + kCrcOffset);
}

}  // namespace ringside::trace
