#include "tools/fleet/repeated_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <span>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::fleet {
namespace {

using trace::BlockType;

constexpr std::size_t kRepeatedClocks = 8;  // at least
// That can be repeated: a span that began more than an hour before its message can have another
// time than in the file.
constexpr std::size_t kKnownClocks = 4096;

void append_whole(Bytes& bytes, const Bytes& block) {
  bytes.insert(bytes.end(), block.begin(), block.end());
}

}  // namespace

void RepeatedBlocks::add_clock(Bytes block) {
  ++clocks_seen_;
  clocks_.push_back(std::move(block));
  if (clocks_.size() > kKnownClocks) clocks_.pop_front();
}

void RepeatedBlocks::begin(ExtentMessage& message) {
  message.repeated = header_;
  clocks_before_ = clocks_seen_;
}

void RepeatedBlocks::complete(ExtentMessage& message) const {
  repeat_clocks(message);
  repeat_streams(message);
}

// Those that apply to the message's records, and some more.
void RepeatedBlocks::repeat_clocks(ExtentMessage& message) const {
  if (message.repeated.empty()) return;  // it begins the section
  std::uint64_t first_tsc = std::numeric_limits<std::uint64_t>::max();
  for_each_block(message.blocks,
                 [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
                   trace::ExtentHeader extent;
                   if (frame.type == BlockType::kExtent &&
                       trace::ExtentHeader::parse(block.subspan(trace::kBlockHeaderBytes), extent))
                     first_tsc = std::min({first_tsc, extent.min_tsc, extent.base_tsc});
                 });
  const std::uint64_t oldest = clocks_seen_ - clocks_.size();
  const std::uint64_t end = std::max(clocks_before_, oldest);
  const auto clock = [&](std::uint64_t number) -> const Bytes& {
    return clocks_[static_cast<std::size_t>(number - oldest)];
  };
  std::uint64_t begin = end - std::min<std::uint64_t>(end - oldest, kRepeatedClocks);
  for (; begin > oldest; --begin) {
    trace::ClockPoint point;
    const auto payload = std::span(clock(begin)).subspan(trace::kBlockHeaderBytes);
    if (begin < end && trace::ClockPoint::parse(payload, point) && point.tsc0 <= first_tsc) break;
  }
  for (std::uint64_t number = begin; number < end; ++number)
    append_whole(message.repeated, clock(number));
}

// Those of the message's extents that it does not describe itself.
void RepeatedBlocks::repeat_streams(ExtentMessage& message) const {
  std::set<std::uint64_t> needed;
  std::set<std::uint64_t> described;
  for_each_block(
      message.blocks, [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
        const auto payload = block.subspan(trace::kBlockHeaderBytes);
        trace::ExtentHeader extent;
        trace::StreamBlock stream;
        if (frame.type == BlockType::kExtent && trace::ExtentHeader::parse(payload, extent)) {
          needed.insert(extent.stream_id);
        } else if (frame.type == BlockType::kStream && trace::StreamBlock::parse(payload, stream)) {
          described.insert(stream.stream_id);
        }
      });
  for (const std::uint64_t id : needed) {
    const auto found = streams_.find(id);
    if (found != streams_.end() && !described.contains(id))
      append_whole(message.repeated, found->second);
  }
}

}  // namespace ringside::fleet
