#include "trace-format/blocks/block_reader.hpp"

#include <algorithm>
#include <cstring>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kReadAhead = std::size_t{256} << 10;

// A walk over headers fetches single headers, but larger pieces where blocks are small.
constexpr std::size_t kReadAheadOfHeaders = 4096;
constexpr std::size_t kReadAheadOfOneHeader = kBlockHeaderBytes + 64;
constexpr std::size_t kSmallBlock = 1024;
constexpr std::size_t kManySmallBlocks = 4;  // consecutive

// The most bytes that a search for the next block may sum up: 16 times the file. Otherwise bytes
// crafted to look like many large blocks could cost time quadratic in their number.
constexpr std::uint64_t kSearchFactor = 16;
constexpr std::uint64_t kSearchMinimum = std::uint64_t{64} << 20;

}  // namespace

BlockReader::BlockReader(TraceFile& file, std::uint64_t begin, std::uint64_t end,
                         ReadReport* report)
    : file_(file),
      end_(std::min(end, file.size())),
      position_(std::min(begin, end_)),
      report_(report),
      search_budget_(kSearchMinimum + kSearchFactor * (end_ - position_)),
      read_ahead_(kReadAhead) {}

void BlockReader::note(std::uint64_t offset, const char* what, const char* remedy) {
  if (report_ != nullptr) report_->note({file_.path(), offset, what, remedy});
}

// Up to `bytes` bytes from `offset`; fewer only at the end of the range or the file.
std::span<const std::byte> BlockReader::view(std::uint64_t offset, std::size_t bytes) {
  const std::uint64_t left = offset < end_ ? end_ - offset : 0;
  bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left));
  const bool inside = offset >= buffer_offset_ && offset + bytes <= buffer_offset_ + buffer_bytes_;
  if (!inside) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::max(bytes, read_ahead_), left));
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    buffer_offset_ = offset;
    buffer_bytes_ = file_.read(offset, std::span(buffer_).first(wanted));
    bytes = std::min(bytes, buffer_bytes_);
  }
  return {buffer_.data() + (offset - buffer_offset_), bytes};
}

BlockReader::State BlockReader::frame_at(std::uint64_t offset, BlockFrame& frame) {
  const auto header = view(offset, kBlockHeaderBytes);
  if (header.size() < kBlockHeaderBytes) return State::kPastEnd;
  if (!parse_block_frame(header, frame)) return State::kDamaged;
  return end_ - offset < frame.block_bytes() ? State::kPastEnd : State::kSound;
}

BlockReader::State BlockReader::whole_at(std::uint64_t offset, Block& block) {
  const State state = frame_at(offset, block.frame);
  if (state != State::kSound) return state;
  const auto bytes = view(offset, block.frame.block_bytes());
  if (bytes.size() < block.frame.block_bytes()) return State::kPastEnd;
  block.offset = offset;
  block.payload = bytes.subspan(kBlockHeaderBytes);
  return check_block(bytes, block.payload) ? State::kSound : State::kDamaged;
}

void BlockReader::set_end(std::uint64_t end) {
  end_ = std::min(end, file_.size());
  position_ = std::min(position_, end_);
  if (growing_ && stuck_at_ == position_) ++times_stuck_;
  // Bytes after the old end may have been fetched before they were written.
  buffer_bytes_ = 0;
}

void BlockReader::set_range(std::uint64_t begin, std::uint64_t end) {
  set_end(end);
  position_ = std::min(begin, end_);
}

bool BlockReader::read_at(std::uint64_t offset, Block& block) {
  read_ahead_ = kReadAheadOfOneHeader;
  return whole_at(offset, block) == State::kSound;
}

bool BlockReader::next(Block& block) {
  read_ahead_ = kReadAhead;
  while (position_ < end_) {
    const State state = whole_at(position_, block);
    if (state == State::kSound) {
      position_ += block.frame.block_bytes();
      return true;
    }
    if (growing_ && (state == State::kPastEnd || waits_for_writer())) return false;
    if (!resynchronise(position_)) return false;
  }
  return false;
}

bool BlockReader::next_header(Block& block, std::size_t payload_bytes) {
  while (position_ < end_) {
    read_ahead_ = small_blocks_ >= kManySmallBlocks ? kReadAheadOfHeaders : kReadAheadOfOneHeader;
    if (frame_at(position_, block.frame) == State::kSound) {
      const std::size_t wanted = std::min<std::size_t>(payload_bytes, block.frame.payload_bytes);
      const auto bytes = view(position_, kBlockHeaderBytes + wanted);
      block.offset = position_;
      block.payload = bytes.subspan(std::min(bytes.size(), kBlockHeaderBytes));
      last_header_ = position_;
      small_blocks_ = block.frame.block_bytes() < kSmallBlock ? small_blocks_ + 1 : 0;
      position_ += block.frame.block_bytes();
      return true;
    }
    // Either the damage is here, or the length of the preceding block was wrong.
    std::uint64_t from = position_;
    Block before;
    if (last_header_ && whole_at(*last_header_, before) != State::kSound) from = *last_header_;
    last_header_.reset();
    if (!resynchronise(from)) return false;
  }
  return false;
}

bool BlockReader::waits_for_writer() {
  if (stuck_at_ != position_) {
    stuck_at_ = position_;
    times_stuck_ = 0;
  }
  return times_stuck_ < kMostTimesStuck;
}

// Moves to the first valid block after `from`; there is none at `from`.
bool BlockReader::resynchronise(std::uint64_t from) {
  BlockFrame frame;
  const bool began = frame_at(from, frame) == State::kPastEnd;
  std::uint64_t at = from + 1;
  while (at < end_) {
    const auto bytes = view(at, kReadAhead);
    if (bytes.size() < kBlockHeaderBytes) break;
    const std::size_t last = bytes.size() - kBlockHeaderBytes;
    // The first byte of the magic, then the rest.
    const auto* const found = static_cast<const std::byte*>(
        std::memchr(bytes.data(), static_cast<int>(kBlockMagic & 0xFF), last + 1));
    if (found == nullptr) {
      at += last + 1;
      continue;
    }
    at += static_cast<std::uint64_t>(found - bytes.data());
    Block block;
    if (load<std::uint32_t>(found) == kBlockMagic && frame_at(at, block.frame) == State::kSound) {
      if (block.frame.block_bytes() > search_budget_) {
        note(at, "too much damage: the search for intact blocks stops here",
             "restore the file from a copy");
        break;
      }
      search_budget_ -= block.frame.block_bytes();
      if (whole_at(at, block) == State::kSound) {
        if (report_ != nullptr) {
          ++report_->damaged_blocks;
          report_->damaged_bytes += at - from;
        }
        note(from, "damaged: not an intact block; skipped to the next one",
             "the records in between are lost");
        position_ = at;
        return true;
      }
    }
    ++at;
  }
  give_up(from, began);
  position_ = end_;
  return false;
}

// No valid block follows `from`. Bytes left by a writer that is still writing or was killed are not
// damage: allocated space, or the beginning of a block.
void BlockReader::give_up(std::uint64_t from, bool began) {
  if (report_ == nullptr) return;
  if (began || only_zeros(from)) {
    report_->unfinished_bytes += end_ - from;
    if (began) {
      note(from, "the file ends inside a block",
           "normal while the file is written or after its writer was killed");
    }
    return;
  }
  ++report_->damaged_blocks;
  report_->damaged_bytes += end_ - from;
  note(from, "damaged: no intact block from here to the end", "the records in between are lost");
}

bool BlockReader::only_zeros(std::uint64_t from) {
  for (std::uint64_t at = from; at < end_;) {
    const auto bytes = view(at, kReadAhead);
    if (bytes.empty()) break;
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; })) {
      return false;
    }
    at += bytes.size();
  }
  return true;
}

}  // namespace ringside::trace
