#pragma once
// The block that states how far a sink has come (trace-format/README.md, "SHIPPED").

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::fleet {

// A place among the blocks of a segment that travel.
struct BlockPlace {
  std::uint32_t file_sequence = 0;
  std::uint32_t section = 0;
  std::uint64_t number = 0;

  auto operator<=>(const BlockPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ShippedBlock {
  static constexpr std::size_t kBytes = trace::kBlockHeaderBytes + trace::kShippedBytes;

  std::uint64_t message = 0;  // its number in the queue
  BlockPlace next;
  std::uint64_t queue_created_ns = 0;  // StoredMessage::queue_created_ns

  void write(std::span<std::byte> out) const {  // kBytes
    std::byte* const p = out.data() + trace::kBlockHeaderBytes;
    trace::store(p, message);
    trace::store(p + 8, next.file_sequence);
    trace::store(p + 12, next.section);
    trace::store(p + 16, next.number);
    trace::store(p + 24, queue_created_ns);
    trace::write_block_frame(out.data(), trace::BlockType::kShipped, trace::kShippedBytes);
  }

  static bool parse(std::span<const std::byte> payload, ShippedBlock& block) {
    if (payload.size() < trace::kShippedBytes) return false;
    const std::byte* const p = payload.data();
    block.message = trace::load<std::uint64_t>(p);
    block.next = {trace::load<std::uint32_t>(p + 8), trace::load<std::uint32_t>(p + 12),
                  trace::load<std::uint64_t>(p + 16)};
    block.queue_created_ns = trace::load<std::uint64_t>(p + 24);
    return true;
  }
};

}  // namespace ringside::fleet
