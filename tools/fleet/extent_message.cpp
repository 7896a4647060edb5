#include "tools/fleet/extent_message.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <zstd.h>

#include "trace-format/blocks/crc32c.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint32_t kMessageMagic = 0x4D585352;  // "RSXM"
constexpr std::uint16_t kMessageVersion = 1;
constexpr std::uint16_t kSubset = 1U << 0;
constexpr std::uint16_t kNamesBody = 1U << 1;
constexpr std::size_t kFlagsAt = 6;

constexpr std::size_t kUuidAt = 8;
constexpr std::size_t kFileSequenceAt = 24;
constexpr std::size_t kSectionAt = 28;
constexpr std::size_t kPreviousAt = 32;
constexpr std::size_t kManifestAt = 40;
constexpr std::size_t kRepeatedBytesAt = 72;
constexpr std::size_t kBodyBytesAt = 76;
constexpr std::size_t kCrcAt = 80;
constexpr std::size_t kFirstBlockAt = 88;

// Of the header, which has the sum in its middle, and the body.
std::uint32_t crc_of(std::span<const std::byte> header, std::span<const std::byte> body) {
  const std::uint32_t crc = trace::crc32c(0, header.first(kCrcAt));
  return trace::crc32c(trace::crc32c(crc, header.subspan(kFirstBlockAt, 8)), body);
}

// Memory that messages of one thread share.
class Compressor {
 public:
  std::span<const std::byte> compress(int level) {
    const std::size_t most = ZSTD_compressBound(body.size());
    if (out_.size() < most) out_.resize(most);
    const std::size_t size = ZSTD_compressCCtx(context_.get(), out_.data(), out_.size(),
                                               body.data(), body.size(), level);
    return std::span(out_).first(size);
  }

  Bytes body;

 private:
  struct Destroyer {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Destroyer> context_{ZSTD_createCCtx()};
  Bytes out_;
};

bool refuse(std::string* why, const char* reason) {
  if (why != nullptr) *why = reason;
  return false;
}

// Whether they are whole, and as their sums say.
bool are_whole_blocks(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    trace::BlockFrame frame;
    if (!trace::parse_block_frame(bytes, frame) || frame.block_bytes() > bytes.size()) return false;
    const auto block = bytes.first(frame.block_bytes());
    if (!trace::check_block(block.first(trace::kBlockHeaderBytes),
                            block.subspan(trace::kBlockHeaderBytes))) {
      return false;
    }
    bytes = bytes.subspan(block.size());
  }
  return true;
}

}  // namespace

Bytes write_extent_message(const ExtentMessage& message, int level) {
  // New memory for each message would cost more than its checksum.
  thread_local Compressor compressor;
  Bytes& body = compressor.body;
  body = message.repeated;
  body.insert(body.end(), message.blocks.begin(), message.blocks.end());
  std::array<std::byte, kMessageHeaderBytes> header{};
  std::byte* const p = header.data();
  trace::store(p, kMessageMagic);
  trace::store(p + 4, kMessageVersion);
  trace::store(p + kFlagsAt, message.is_subset ? kSubset : std::uint16_t{0});
  std::memcpy(p + kUuidAt, message.uuid.data(), message.uuid.size());
  trace::store(p + kFileSequenceAt, message.file_sequence);
  trace::store(p + kSectionAt, message.section);
  trace::store(p + kPreviousAt, message.previous);
  std::memcpy(p + kManifestAt, message.manifest.data(), message.manifest.size());
  trace::store(p + kRepeatedBytesAt, static_cast<std::uint32_t>(message.repeated.size()));
  trace::store(p + kBodyBytesAt, static_cast<std::uint32_t>(body.size()));
  trace::store(p + kFirstBlockAt, message.first_block);
  trace::store(p + kCrcAt, crc_of(header, body));
  const auto compressed = compressor.compress(level);
  Bytes payload(header.size() + compressed.size());
  std::memcpy(payload.data(), header.data(), header.size());
  std::memcpy(payload.data() + header.size(), compressed.data(), compressed.size());
  return payload;
}

Bytes take_body(Bytes& payload) {
  Bytes body(payload.begin() + kMessageHeaderBytes, payload.end());
  const ContentHash hash = content_hash(body);
  payload.resize(kMessageHeaderBytes + hash.size());
  std::memcpy(payload.data() + kMessageHeaderBytes, hash.data(), hash.size());
  const auto flags = trace::load<std::uint16_t>(payload.data() + kFlagsAt);
  trace::store(payload.data() + kFlagsAt, static_cast<std::uint16_t>(flags | kNamesBody));
  return body;
}

void put_body(Bytes& payload, std::span<const std::byte> body) {
  payload.resize(kMessageHeaderBytes);
  const auto flags = trace::load<std::uint16_t>(payload.data() + kFlagsAt);
  trace::store(payload.data() + kFlagsAt,
               static_cast<std::uint16_t>(flags & ~std::uint32_t{kNamesBody}));
  payload.insert(payload.end(), body.begin(), body.end());
}

bool names_body(std::span<const std::byte> payload, ContentHash& hash) {
  if (payload.size() != kMessageHeaderBytes + hash.size() ||
      trace::load<std::uint32_t>(payload.data()) != kMessageMagic ||
      trace::load<std::uint16_t>(payload.data() + 4) != kMessageVersion ||
      (trace::load<std::uint16_t>(payload.data() + kFlagsAt) & kNamesBody) == 0) {
    return false;
  }
  std::memcpy(hash.data(), payload.data() + kMessageHeaderBytes, hash.size());
  return true;
}

std::uint64_t stated_previous(std::span<const std::byte> payload) {
  return payload.size() < kMessageHeaderBytes
             ? 0
             : trace::load<std::uint64_t>(payload.data() + kPreviousAt);
}

SegmentUuid stated_uuid(std::span<const std::byte> payload) {
  SegmentUuid uuid{};
  if (payload.size() >= kMessageHeaderBytes)
    std::memcpy(uuid.data(), payload.data() + kUuidAt, uuid.size());
  return uuid;
}

bool read_extent_message(std::span<const std::byte> payload, ExtentMessage& message,
                         std::string* why) {
  if (payload.size() < kMessageHeaderBytes ||
      trace::load<std::uint32_t>(payload.data()) != kMessageMagic)
    return refuse(why, "it is not an extent message");
  const std::byte* const p = payload.data();
  if (trace::load<std::uint16_t>(p + 4) != kMessageVersion)
    return refuse(why, "it has another version: a newer ringsink may read it");
  const auto flags = trace::load<std::uint16_t>(p + kFlagsAt);
  if ((flags & kNamesBody) != 0) return refuse(why, "its body was not fetched");
  message.is_subset = (flags & kSubset) != 0;
  std::memcpy(message.uuid.data(), p + kUuidAt, message.uuid.size());
  message.file_sequence = trace::load<std::uint32_t>(p + kFileSequenceAt);
  message.section = trace::load<std::uint32_t>(p + kSectionAt);
  message.previous = trace::load<std::uint64_t>(p + kPreviousAt);
  std::memcpy(message.manifest.data(), p + kManifestAt, message.manifest.size());
  const std::size_t repeated = trace::load<std::uint32_t>(p + kRepeatedBytesAt);
  const std::size_t size = trace::load<std::uint32_t>(p + kBodyBytesAt);
  if (size > kMostBodyBytes || repeated > size) return refuse(why, "its lengths are impossible");
  const auto compressed = payload.subspan(kMessageHeaderBytes);
  if (ZSTD_getFrameContentSize(compressed.data(), compressed.size()) != size)
    return refuse(why, "its body has another length than stated");
  Bytes body(size);
  if (ZSTD_decompress(body.data(), size, compressed.data(), compressed.size()) != size)
    return refuse(why, "its body cannot be decompressed");
  message.first_block = trace::load<std::uint64_t>(p + kFirstBlockAt);
  if (crc_of(payload, body) != trace::load<std::uint32_t>(p + kCrcAt))
    return refuse(why, "its checksum is wrong");
  const auto bytes = std::span<const std::byte>(body);
  if (!are_whole_blocks(bytes.first(repeated)) || !are_whole_blocks(bytes.subspan(repeated)))
    return refuse(why, "its body is not a sequence of whole blocks");
  const auto split = body.begin() + static_cast<std::ptrdiff_t>(repeated);
  message.repeated.assign(body.begin(), split);
  message.blocks.assign(split, body.end());
  return true;
}

void for_each_block(std::span<const std::byte> blocks,
                    const std::function<void(const trace::BlockFrame& frame,
                                             std::span<const std::byte> block)>& take) {
  trace::BlockFrame frame;
  while (trace::parse_block_frame(blocks, frame) && frame.block_bytes() <= blocks.size()) {
    take(frame, blocks.first(frame.block_bytes()));
    blocks = blocks.subspan(frame.block_bytes());
  }
}

}  // namespace ringside::fleet
