#pragma once
// The messages that carry extents (README.md, "Extent message").

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_queue.hpp"
#include "trace-format/blocks/block_frame.hpp"

namespace ringside::fleet {

inline constexpr std::size_t kMessageHeaderBytes = 96;
inline constexpr std::size_t kMostBodyBytes = std::size_t{1} << 27;

using SegmentUuid = std::array<std::uint8_t, 16>;

// Where a message belongs.
struct ExtentMessage {
  SegmentUuid uuid{};
  std::uint32_t file_sequence = 0;
  std::uint32_t section = 0;      // among those of the segment in the file
  bool is_subset = false;         // a selection left records out
  std::uint64_t previous = 0;     // number of the message before it on the subject; 0: none
  std::uint64_t first_block = 0;  // number of the first of `blocks` in the section
  ContentHash manifest{};         // zeros: no dictionary is needed
  Bytes repeated;                 // whole blocks of earlier messages
  Bytes blocks;                   // whole blocks, in their order
};

inline bool needs_dictionary(const ExtentMessage& message) {
  return message.manifest != ContentHash{};
}

// `level`: of zstd.
Bytes write_extent_message(const ExtentMessage& message, int level);

// The body of a written message, which is then named by its hash alone: `payload` keeps the header
// and the hash. put_body() is the inverse.
Bytes take_body(Bytes& payload);
void put_body(Bytes& payload, std::span<const std::byte> body);
// Whether the payload names its body, as after take_body().
bool names_body(std::span<const std::byte> payload, ContentHash& hash);
inline constexpr std::size_t kMostCompressedBodyBytes = kMostBodyBytes + (kMostBodyBytes >> 8) + 64;

// Number in the queue of the message before it on the subject, as the header states it without
// being checked.
std::uint64_t stated_previous(std::span<const std::byte> payload);
SegmentUuid stated_uuid(std::span<const std::byte> payload);

// Checks everything but the contents of blocks that pass their CRC: false with `*why` if the
// payload is not a message of this version.
bool read_extent_message(std::span<const std::byte> payload, ExtentMessage& message,
                         std::string* why);

// Calls `take` for each block: its 16 bytes, its payload. `blocks`: whole, as in a message that was
// read.
void for_each_block(std::span<const std::byte> blocks,
                    const std::function<void(const trace::BlockFrame& frame,
                                             std::span<const std::byte> block)>& take);

}  // namespace ringside::fleet
