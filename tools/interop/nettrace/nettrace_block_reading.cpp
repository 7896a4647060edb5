// The contents of blocks: events, metadata records, stacks, sequence points.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/nettrace/netperf_blobs.hpp"
#include "tools/interop/nettrace/nettrace_blobs.hpp"
#include "tools/interop/nettrace/nettrace_reader.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

bool begins_end(std::span<const std::byte> bytes) {
  return !bytes.empty() && bytes[0] == static_cast<std::byte>(Tag::kEndObject);
}

}  // namespace

bool Reader::open_block(ObjectFacts& object) {
  const std::span<const std::byte> size = input_.peek(4);
  if (size.size() < 4) return fail(object.offset, "the file ends within an object");
  const auto bytes = trace::load<std::int32_t>(size.data());
  if (bytes < 0) {
    return fail(input_.offset(), fmt::format("the size of a block is {}", bytes));
  }
  input_.skip(4);
  object.bytes = block_left_ = static_cast<std::uint64_t>(bytes);
  // The runtime omits the padding of a NetPerf block without events.
  if (bytes == 0 && version_ < kTraceVersion && begins_end(input_.peek(1))) return true;
  const std::uint64_t padding = (4 - input_.offset() % 4) % 4;
  if (input_.pass_over(padding) < padding) {
    return fail(object.offset, "the file ends within an object");
  }
  return true;
}

std::span<const std::byte> Reader::window(std::size_t wanted) {
  const std::size_t most = std::max(wanted, kWindowBytes);
  const auto asked = static_cast<std::size_t>(std::min<std::uint64_t>(block_left_, most));
  const std::span<const std::byte> there = input_.peek(asked);
  return there.first(static_cast<std::size_t>(std::min<std::uint64_t>(there.size(), block_left_)));
}

bool Reader::deliver(const Blob& blob, bool metadata) {
  delivered_ = true;
  if (!metadata) {
    visitor_.event(blob);
    return true;
  }
  const std::string why = visitor_.metadata(blob);
  return why.empty() || fail(blob.offset, "metadata record: " + why);
}

bool Reader::is_possible_event(std::size_t bytes) {
  return bytes <= kMostEventBytes ||
         fail(input_.offset(),
              fmt::format("an event of {} bytes; the maximum is {}", bytes, kMostEventBytes));
}

bool Reader::read_blobs(const ObjectFacts& object, bool metadata) {
  std::span<const std::byte> bytes = window(kBlockHeaderBytes);
  if (bytes.size() < kBlockHeaderBytes) return cut("the header of a block");
  BlockFacts block;
  block.header_bytes = trace::load<std::uint16_t>(bytes.data());
  block.compressed = (trace::load<std::uint16_t>(bytes.data() + 2) & kBlockCompressed) != 0;
  block.metadata = metadata;
  block.min_timestamp = trace::load<std::uint64_t>(bytes.data() + 4);
  block.max_timestamp = trace::load<std::uint64_t>(bytes.data() + 12);
  if (block.header_bytes < kBlockHeaderBytes || block.header_bytes > object.bytes) {
    return fail(input_.offset(), fmt::format("the header of a block of {} bytes has {} bytes",
                                             object.bytes, block.header_bytes));
  }
  bytes = window(block.header_bytes);
  if (bytes.size() < block.header_bytes) return cut("the header of a block");
  visitor_.block(block);
  advance(block.header_bytes);
  BlobDecoder decoder(block.compressed, input_.offset());
  return read_events_of_block(decoder, metadata);
}

bool Reader::read_netperf_blobs() {
  visitor_.block({});
  NetperfDecoder decoder;
  return read_events_of_block(decoder, false);
}

// `metadata`: all are metadata records; in NetPerf files, those with the id 0 are.
template <class Decoder>
bool Reader::read_events_of_block(Decoder& decoder, bool metadata) {
  const bool is_netperf = version_ < kTraceVersion;
  std::size_t wanted = 1;
  while (block_left_ > 0) {
    std::span<const std::byte> bytes = window(wanted);
    const std::size_t all = bytes.size();
    const bool last = all == block_left_;
    BlobEnd end = BlobEnd::kShort;
    const std::uint64_t offset = input_.offset();
    while (!bytes.empty() && (end = decoder.next(bytes, last)) == BlobEnd::kWhole) {
      Blob& blob = decoder.blob();
      blob.offset = offset + (all - bytes.size());
      if (!deliver(blob, metadata || (is_netperf && blob.metadata_id == 0))) return false;
      bytes = bytes.subspan(decoder.blob_bytes());
    }
    advance(all - bytes.size());
    if (end == BlobEnd::kBad) return fail(input_.offset(), "not an event: invalid lengths");
    if (block_left_ == 0) break;
    // More of the block is needed for the next event, unless all of it has been checked.
    const std::size_t seen = bytes.size();
    wanted = std::max(decoder.bytes_wanted(), seen + 1);
    // If the length is wrong, no more than a window is kept in memory.
    if (wanted > block_left_ && wanted > kWindowBytes) return cut("an event");
    if (!is_possible_event(wanted)) return false;
    if (seen == block_left_ || window(wanted).size() <= seen) return cut("an event");
  }
  return true;
}

bool Reader::read_event_stream() {
  NetperfDecoder decoder;
  std::size_t wanted = 1;
  for (;;) {
    std::span<const std::byte> bytes = input_.peek(wanted);
    const std::size_t all = bytes.size();
    const std::uint64_t begin = input_.offset();
    const auto offset = [&] { return begin + (all - bytes.size()); };
    BlobEnd end = BlobEnd::kShort;
    while (!is_stream_end(bytes, offset()) &&
           (end = decoder.next(bytes, false)) == BlobEnd::kWhole) {
      Blob& blob = decoder.blob();
      blob.offset = offset();
      if (!deliver(blob, blob.metadata_id == 0)) return false;
      bytes = bytes.subspan(decoder.blob_bytes());
    }
    const std::size_t seen = bytes.size();
    ended_ = is_stream_end(bytes, offset());
    input_.skip(all - seen + (ended_ ? kStreamEndBytes : 0));
    if (ended_) return true;
    if (end == BlobEnd::kBad) return fail(input_.offset(), "not an event: invalid lengths");
    wanted = std::max(decoder.bytes_wanted(), seen + 1);
    if (!is_possible_event(wanted)) return false;
    if (input_.peek(wanted).size() > seen) continue;
    return seen == 0 || fail(input_.offset(), "the file ends within an event");
  }
}

bool Reader::read_stacks() {
  std::span<const std::byte> bytes = window(8);
  if (bytes.size() < 8) return cut("the header of a stack block");
  auto id = trace::load<std::uint32_t>(bytes.data());
  const auto count = trace::load<std::uint32_t>(bytes.data() + 4);
  advance(8);
  for (std::uint32_t i = 0; i < count; ++i, ++id) {
    bytes = window(4);
    if (bytes.size() < 4) return cut("a stack");
    const auto size = trace::load<std::uint32_t>(bytes.data());
    if (size > block_left_ - 4) return cut("a stack");
    if (size > kMostEventBytes) {
      return fail(input_.offset(),
                  fmt::format("a stack of {} bytes; the maximum is {}", size, kMostEventBytes));
    }
    bytes = window(std::size_t{4} + size);
    if (bytes.size() < std::size_t{4} + size) return cut("a stack");
    visitor_.stack(id, bytes.subspan(4, size));
    advance(std::size_t{4} + size);
  }
  block_left_ -= input_.pass_over(block_left_);
  return block_left_ == 0 || cut("a stack block");
}

bool Reader::read_sequence_point() {
  std::span<const std::byte> bytes = window(12);
  if (bytes.size() < 12) return cut("the header of a sequence point");
  const auto threads = trace::load<std::uint32_t>(bytes.data() + 8);
  const auto timestamp = trace::load<std::uint64_t>(bytes.data());
  advance(12);
  if (threads > block_left_ / 12) return cut("a sequence point's threads");
  visitor_.sequence_point(timestamp, threads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    bytes = window(12);
    if (bytes.size() < 12) {
      visitor_.sequence_point_end();
      return cut("a sequence point's threads");
    }
    visitor_.sequence_point_thread(trace::load<std::uint64_t>(bytes.data()),
                                   trace::load<std::uint32_t>(bytes.data() + 8));
    advance(12);
  }
  visitor_.sequence_point_end();
  block_left_ -= input_.pass_over(block_left_);
  return block_left_ == 0 || cut("a sequence point");
}

bool Reader::cut(std::string_view what) {
  const bool file_ends =
      input_.peek(static_cast<std::size_t>(std::min<std::uint64_t>(block_left_, kWindowBytes)))
          .size() < std::min<std::uint64_t>(block_left_, kWindowBytes);
  return fail(input_.offset(),
              fmt::format("the {} ends within {}", file_ends ? "file" : "block", what));
}

}  // namespace ringside::tool::nettrace
