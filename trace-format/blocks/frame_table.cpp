#include "trace-format/blocks/frame_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/seek_table.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
constexpr unsigned kSeekChecksums = 0x80;
constexpr unsigned kSeekReserved = 0x7C;

// The maximum expansion of a frame for each of its bytes: a block of 128 KiB takes four bytes.
constexpr std::uint64_t kMostExpansion = std::uint64_t{1} << 15;

bool is_skippable(std::uint32_t magic) {
  return (magic & 0xFFFFFFF0) == kSkippableMagic;
}

// Empty unless the table accounts for every byte of the file.
std::vector<PackedFrame> read_seek_table(TraceFile& packed) {
  const std::uint64_t size = packed.size();
  std::array<std::byte, kSeekFooterBytes> footer{};
  if (size < kSkippableHeaderBytes + kSeekFooterBytes ||
      packed.read(size - kSeekFooterBytes, footer) != footer.size() ||
      load<std::uint32_t>(footer.data() + 5) != kSeekableMagic) {
    return {};
  }
  const std::uint64_t count = load<std::uint32_t>(footer.data());
  const auto descriptor = static_cast<unsigned>(footer[4]);
  const std::size_t entry_bytes = (descriptor & kSeekChecksums) != 0 ? 12 : 8;
  const std::uint64_t frame_bytes = kSeekFooterBytes + count * entry_bytes;
  const std::uint64_t table_bytes = kSkippableHeaderBytes + frame_bytes;
  if ((descriptor & kSeekReserved) != 0 || table_bytes > size) return {};
  std::vector<std::byte> table(static_cast<std::size_t>(table_bytes));
  if (packed.read(size - table_bytes, table) != table.size() ||
      load<std::uint32_t>(table.data()) != kSeekTableMagic ||
      load<std::uint32_t>(table.data() + 4) != frame_bytes) {
    return {};
  }
  std::vector<PackedFrame> frames;
  frames.reserve(static_cast<std::size_t>(count));
  PackedFrame frame;
  const std::byte* entry = table.data() + kSkippableHeaderBytes;
  for (std::uint64_t i = 0; i < count; ++i, entry += entry_bytes) {
    frame.packed_bytes = load<std::uint32_t>(entry);
    frame.content_bytes = load<std::uint32_t>(entry + 4);
    if (frame.content_bytes > kMaxFrameContent ||
        frame.content_bytes > kMostExpansion * frame.packed_bytes ||
        frame.packed_bytes > size - table_bytes - frame.packed_offset) {
      return {};
    }
    if (frame.content_bytes != 0) frames.push_back(frame);
    frame.packed_offset += frame.packed_bytes;
    frame.content_offset += frame.content_bytes;
  }
  if (frame.packed_offset != size - table_bytes) return {};
  return frames;
}

// Follows frames by their headers and their blocks' headers.
class FrameWalk {
 public:
  explicit FrameWalk(TraceFile& packed) : packed_(packed), budget_(kLeastSteps + packed.size()) {}

  std::vector<PackedFrame> run(std::string* why) {
    while (at_ < packed_.size() && frames_.size() < kMaxFrames) {
      const std::optional<Extent> found = frame_at(at_);
      if (found) {
        if (found->content > kMaxFrameContent) {
          *why = "is packed in frames that are too large to read in parts";
          return {};
        }
        add(at_, found->bytes, found->content);
        at_ += found->bytes;
      } else {
        skip_damage();
      }
    }
    if (frames_.empty()) *why = "is packed, but cannot be read in parts";
    return std::move(frames_);
  }

 private:
  struct Extent {
    std::uint64_t bytes = 0;
    std::uint64_t content = 0;  // 0: skippable
  };
  // The most steps of a walk, even through hostile bytes: one block header each.
  static constexpr std::uint64_t kLeastSteps = std::uint64_t{1} << 20;
  static constexpr std::size_t kMaxFrames = std::size_t{1} << 24;

  void add(std::uint64_t offset, std::uint64_t bytes, std::uint64_t content) {
    if (content == 0) return;
    PackedFrame frame;
    frame.packed_offset = offset;
    frame.packed_bytes = static_cast<std::uint32_t>(bytes);
    frame.content_bytes = static_cast<std::uint32_t>(content);
    if (!frames_.empty()) {
      frame.content_offset = frames_.back().content_offset + frames_.back().content_bytes;
    }
    frames_.push_back(frame);
  }

  std::span<const std::byte> view(std::uint64_t offset, std::size_t bytes) {
    if (offset < window_offset_ || offset + bytes > window_offset_ + window_bytes_) {
      window_offset_ = offset;
      window_bytes_ = packed_.read(offset, window_);
    }
    const auto from = static_cast<std::size_t>(offset - window_offset_);
    return std::span(window_).subspan(from, std::min(bytes, window_bytes_ - from));
  }

  // The frame at `offset`, if it is complete and its content size is known.
  std::optional<Extent> frame_at(std::uint64_t offset) {
    const auto head = view(offset, 18);
    if (head.size() < 8) return std::nullopt;
    const auto magic = load<std::uint32_t>(head.data());
    if (is_skippable(magic)) {
      const std::uint64_t bytes = kSkippableHeaderBytes + load<std::uint32_t>(head.data() + 4);
      if (bytes > packed_.size() - offset) return std::nullopt;
      return Extent{bytes, 0};
    }
    if (magic != kFrameMagic) return std::nullopt;
    const auto descriptor = static_cast<unsigned>(head[4]);
    const bool single = (descriptor & 0x20) != 0;
    constexpr std::array<std::size_t, 4> kSizeBytes = {0, 2, 4, 8};
    constexpr std::array<std::size_t, 4> kDictionaryBytes = {0, 1, 2, 4};
    std::size_t size_bytes = kSizeBytes[descriptor >> 6];
    if (size_bytes == 0 && single) size_bytes = 1;
    const std::size_t size_at = 5 + (single ? 0 : 1) + kDictionaryBytes[descriptor & 3];
    if (size_bytes == 0 || (descriptor & 8) != 0 || head.size() < size_at + size_bytes) {
      return std::nullopt;
    }
    Extent frame;
    frame.content = load_bytes(head.data() + size_at, size_bytes) + (size_bytes == 2 ? 256 : 0);
    frame.bytes = size_at + size_bytes;
    for (bool last = false; !last; --budget_) {
      const auto block = view(offset + frame.bytes, 3);
      if (block.size() < 3 || budget_ == 0) return std::nullopt;
      const std::uint64_t header = load_bytes(block.data(), 3);
      last = (header & 1) != 0;
      const std::uint64_t kind = header >> 1 & 3;
      if (kind == 3) return std::nullopt;
      frame.bytes += 3 + (kind == 1 ? 1 : header >> 3);
      if (frame.bytes > packed_.size() - offset || frame.bytes > kMaxPackedBytes) {
        return std::nullopt;
      }
    }
    if ((descriptor & 4) != 0) frame.bytes += 4;
    if (frame.bytes > packed_.size() - offset || frame.content > kMostExpansion * frame.bytes) {
      return std::nullopt;
    }
    return frame;
  }

  // To the next frame. The bytes before it count as a frame of the usual size.
  void skip_damage() {
    const std::uint64_t from = at_;
    for (++at_; at_ < packed_.size() && budget_ != 0; ++at_) {
      view(at_, 1);
      const auto bytes = view(at_, static_cast<std::size_t>(window_offset_ + window_bytes_ - at_));
      const auto* const found = static_cast<const std::byte*>(
          std::memchr(bytes.data(), static_cast<int>(kFrameMagic & 0xFF), bytes.size()));
      const auto* const other = static_cast<const std::byte*>(
          std::memchr(bytes.data(), static_cast<int>(kSeekTableMagic & 0xFF), bytes.size()));
      if (found == nullptr && other == nullptr) {
        at_ += bytes.empty() ? 0 : bytes.size() - 1;
        continue;
      }
      at_ += static_cast<std::uint64_t>(
          (found == nullptr || (other != nullptr && other < found) ? other : found) - bytes.data());
      --budget_;
      if (frame_at(at_)) break;
    }
    if (budget_ == 0) at_ = packed_.size();
    at_ = std::min(at_, packed_.size());
    // A packed size of 0: these bytes are not a frame, so they are never restored.
    add(from, 0, std::min<std::uint64_t>(kUsualFrameContent, kMostExpansion * (at_ - from)));
  }

  static constexpr std::size_t kWindowBytes = 4096;
  static constexpr std::uint64_t kMaxPackedBytes = 2 * kMaxFrameContent;

  TraceFile& packed_;
  std::uint64_t budget_;
  std::uint64_t at_ = 0;
  std::vector<PackedFrame> frames_;
  std::vector<std::byte> window_ = std::vector<std::byte>(kWindowBytes);
  std::uint64_t window_offset_ = 0;
  std::size_t window_bytes_ = 0;
};

}  // namespace

bool is_frame_magic(std::uint32_t magic) {
  return magic == kFrameMagic || is_skippable(magic);
}

std::vector<PackedFrame> find_frames(TraceFile& packed, std::string* why) {
  std::vector<PackedFrame> frames = read_seek_table(packed);
  return frames.empty() ? FrameWalk(packed).run(why) : frames;
}

}  // namespace ringside::trace
