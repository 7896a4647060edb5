#include "tools/interop/nettrace/nettrace_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/nettrace/nettrace_blobs.hpp"
#include "tools/interop/nettrace/nettrace_tagged_fields.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr std::size_t kMostTypeNameBytes = 1024;
constexpr std::size_t kTypeHeadBytes = 1 + 1 + 1 + 4 + 4 + 4;
// Limit of an event, which is in memory as a whole, as is a stack; those of .NET have at most 100
// KiB.
constexpr std::size_t kMostEventBytes = std::size_t{64} << 20;

bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), text.size()) == text;
}

bool is_serialization_head(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && trace::load<std::uint32_t>(bytes.data()) == kSerialization.size() &&
         begins_with(bytes.subspan(4), kSerialization);
}

bool is_tag(std::span<const std::byte> bytes, std::size_t at, Tag tag) {
  return at < bytes.size() && bytes[at] == static_cast<std::byte>(tag);
}

}  // namespace

bool recognise(std::span<const std::byte> first_bytes) {
  return begins_with(first_bytes, kMagic) || is_serialization_head(first_bytes);
}

ReadOutcome Reader::read() {
  if (read_file_header() && read_objects()) count_trailing_bytes();
  for (const auto& [type, count] : unknown_) {
    warn(fmt::format("{} object{} of the unknown type {} skipped", count, count == 1 ? "" : "s",
                     trace::visible(type)));
  }
  return std::move(outcome_);
}

bool Reader::read_file_header() {
  constexpr std::size_t kBytes = 8 + 4 + 20;
  const std::span<const std::byte> head = input_.peek(kBytes);
  if (is_serialization_head(head)) {
    return refuse(0,
                  "a NetPerf file (versions 1 to 3, of .NET Core 2) is not supported; convert it "
                  "with PerfView, or record it again with .NET Core 3 or later");
  }
  if (!begins_with(head, kMagic))
    return refuse(0, "not a NetTrace file: its magic number is missing");
  if (head.size() < kBytes) return refuse(head.size(), "the file ends within its header");
  if (!is_serialization_head(head.subspan(kMagic.size()))) {
    return refuse(kMagic.size(), "the serialization is not \"!FastSerialization.1\"");
  }
  input_.skip(kBytes);
  return true;
}

bool Reader::read_objects() {
  for (;;) {
    const std::span<const std::byte> next = input_.peek(1);
    if (next.empty()) {
      if (!has_trace_) return refuse(input_.offset(), "the file ends before its trace object");
      warn("the null reference at the end of the file is missing: the file may be truncated");
      return true;
    }
    if (is_tag(next, 0, Tag::kNullReference)) {
      if (!has_trace_) return refuse(input_.offset(), "the file has no trace object");
      input_.skip(1);
      ended_ = true;
      return true;
    }
    if (!read_object()) return false;
  }
}

bool Reader::read_object() {
  ObjectFacts object;
  object.offset = input_.offset();
  if (!read_type(object)) return false;
  if (!has_trace_ && object.type.starts_with("Microsoft.")) {
    return refuse(
        object.offset,
        "objects of the type " + trace::visible(object.type) +
            " belong to NetPerf files, which are not supported; convert it with PerfView");
  }
  if (object.type == kTraceType) return read_trace(object) && end_object(object);
  if (!has_trace_) return refuse(object.offset, "the first object is not a trace object");
  const bool blobs = object.type == kEventBlockType || object.type == kMetadataBlockType;
  const bool stacks = object.type == kStackBlockType;
  if (!blobs && !stacks && object.type != kSequencePointType) {
    return pass_unknown(object) && end_object(object);
  }
  if (object.min_reader_version > kBlockVersion || object.version < kBlockVersion) {
    const std::string message =
        fmt::format("{} has version {} for readers of version {}; version {} is supported",
                    object.type, object.version, object.min_reader_version, kBlockVersion);
    return delivered_ ? fail(object.offset, message) : refuse(object.offset, message);
  }
  if (!open_block(object)) return false;
  visitor_.object(object);
  const bool whole = blobs    ? read_blobs(object, object.type == kMetadataBlockType)
                     : stacks ? read_stacks(object)
                              : read_sequence_point(object);
  return whole && end_object(object);
}

bool Reader::read_type(ObjectFacts& object) {
  std::span<const std::byte> head = input_.peek(1 + kTypeHeadBytes);
  if (!is_tag(head, 0, Tag::kBeginPrivateObject)) {
    return fail(object.offset,
                fmt::format("not an object: the first byte is {}", static_cast<unsigned>(head[0])));
  }
  if (head.size() < 1 + kTypeHeadBytes)
    return fail(object.offset, "the file ends within an object");
  if (!is_tag(head, 1, Tag::kBeginPrivateObject) || !is_tag(head, 2, Tag::kNullReference)) {
    return fail(object.offset + 1, "not the type of an object");
  }
  object.version = trace::load<std::int32_t>(head.data() + 3);
  object.min_reader_version = trace::load<std::int32_t>(head.data() + 7);
  const auto name_bytes = trace::load<std::uint32_t>(head.data() + 11);
  constexpr std::size_t kNameAt = kTypeHeadBytes;
  if (name_bytes > kMostTypeNameBytes) {
    return fail(object.offset + 11,
                fmt::format("the name of a type has {} bytes; the maximum is {}", name_bytes,
                            kMostTypeNameBytes));
  }
  const std::size_t bytes = kNameAt + name_bytes + 1;
  head = input_.peek(bytes);
  if (head.size() < bytes) return fail(object.offset, "the file ends within an object");
  object.type.assign(reinterpret_cast<const char*>(head.data()) + kNameAt, name_bytes);
  if (!is_tag(head, bytes - 1, Tag::kEndObject)) {
    return fail(object.offset + bytes - 1, "the type of an object does not end here");
  }
  input_.skip(bytes);
  return true;
}

bool Reader::read_trace(ObjectFacts& object) {
  if (object.version > kTraceVersion || object.min_reader_version > kTraceVersion ||
      object.version < kTraceVersion) {
    return refuse(object.offset,
                  fmt::format("the trace has version {} for readers of version {}; version {} is "
                              "supported, which files called version 4 and 5 have",
                              object.version, object.min_reader_version, kTraceVersion));
  }
  if (has_trace_) return fail(object.offset, "a second trace object");
  const std::span<const std::byte> fields = input_.peek(kTraceBytes);
  if (fields.size() < kTraceBytes) {
    return refuse(object.offset, "the file ends within its trace object");
  }
  const std::byte* const p = fields.data();
  TraceFacts trace;
  trace.version = object.version;
  trace.min_reader_version = object.min_reader_version;
  for (std::size_t i = 0; i < trace.sync_time.size(); ++i) {
    trace.sync_time[i] = trace::load<std::uint16_t>(p + 2 * i);
  }
  trace.sync_qpc = trace::load<std::int64_t>(p + 16);
  trace.qpc_frequency = trace::load<std::int64_t>(p + 24);
  trace.pointer_bytes = trace::load<std::int32_t>(p + 32);
  trace.process_id = trace::load<std::int32_t>(p + 36);
  trace.processors = trace::load<std::int32_t>(p + 40);
  trace.sampling_rate = trace::load<std::int32_t>(p + 44);
  object.bytes = kTraceBytes;
  std::string why = visitor_.trace(trace);
  if (!why.empty()) return refuse(object.offset, std::move(why));
  visitor_.object(object);
  input_.skip(kTraceBytes);
  has_trace_ = true;
  return true;
}

bool Reader::open_block(ObjectFacts& object) {
  const std::span<const std::byte> size = input_.peek(4);
  if (size.size() < 4) return fail(object.offset, "the file ends within an object");
  const auto bytes = trace::load<std::int32_t>(size.data());
  if (bytes < 0) {
    return fail(input_.offset(), fmt::format("the size of a block is {}", bytes));
  }
  input_.skip(4);
  const std::uint64_t padding = (4 - input_.offset() % 4) % 4;
  if (input_.pass_over(padding) < padding) {
    return fail(object.offset, "the file ends within an object");
  }
  object.bytes = block_left_ = static_cast<std::uint64_t>(bytes);
  return true;
}

std::span<const std::byte> Reader::window(std::size_t wanted) {
  const std::size_t most = std::max(wanted, kWindowBytes);
  const auto asked = static_cast<std::size_t>(std::min<std::uint64_t>(block_left_, most));
  const std::span<const std::byte> there = input_.peek(asked);
  return there.first(static_cast<std::size_t>(std::min<std::uint64_t>(there.size(), block_left_)));
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
  std::size_t wanted = 1;
  while (block_left_ > 0) {
    bytes = window(wanted);
    const std::size_t all = bytes.size();
    const bool last = all == block_left_;
    BlobEnd end = BlobEnd::kShort;
    const std::uint64_t offset = input_.offset();
    while (!bytes.empty() && (end = decoder.next(bytes, last)) == BlobEnd::kWhole) {
      Blob& blob = decoder.blob();
      blob.offset = offset + (all - bytes.size());
      delivered_ = true;
      if (metadata) {
        std::string why = visitor_.metadata(blob);
        if (!why.empty()) return fail(blob.offset, "metadata record: " + why);
      } else {
        visitor_.event(blob);
      }
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
    if (wanted > kMostEventBytes) {
      return fail(input_.offset(),
                  fmt::format("an event of {} bytes; the maximum is {}", wanted, kMostEventBytes));
    }
    if (seen == block_left_ || window(wanted).size() <= seen) return cut("an event");
  }
  return true;
}

bool Reader::read_stacks(const ObjectFacts&) {
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

bool Reader::read_sequence_point(const ObjectFacts&) {
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

// The format says that such an object has only tagged fields; otherwise it is a block like the
// others.
bool Reader::pass_unknown(ObjectFacts& object) {
  const std::uint64_t begin = input_.offset();
  ++unknown_[object.type];
  const auto is_end_at = [this](std::uint64_t bytes) {
    const std::span<const std::byte> there = input_.peek(static_cast<std::size_t>(bytes) + 2);
    if (!is_tag(there, bytes, Tag::kEndObject)) return false;
    return there.size() == bytes + 1 || is_tag(there, bytes + 1, Tag::kBeginPrivateObject) ||
           is_tag(there, bytes + 1, Tag::kNullReference);
  };
  const std::span<const std::byte> head = input_.peek(4);
  const std::uint64_t body_at = (begin + 4 + 3) / 4 * 4 - begin;
  const std::int32_t size =
      head.size() < 4 ? std::int32_t{-1} : trace::load<std::int32_t>(head.data());
  const auto block_bytes = size < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(size);
  if (size >= 0 && body_at + block_bytes <= kLookAheadBytes && is_end_at(body_at + block_bytes)) {
    object.bytes = block_bytes;
    visitor_.object(object);
    input_.pass_over(body_at + block_bytes);
    return true;
  }
  if (look_at_tagged_fields(input_.peek(kLookAheadBytes)) != TaggedEnd::kNone) {
    visitor_.object(object);
    return true;  // end_object() skips them
  }
  if (size < 0) return fail(begin, "an object of an unknown type has neither fields nor a size");
  object.bytes = block_bytes;
  visitor_.object(object);
  if (input_.pass_over(body_at + block_bytes) < body_at + block_bytes) {
    return fail(object.offset, "the file ends within an object of an unknown type");
  }
  return true;
}

bool Reader::end_object(const ObjectFacts& object) {
  // Normally nothing precedes it, and this does not wait for a pipe.
  if (is_tag(input_.peek(1), 0, Tag::kEndObject)) {
    input_.skip(1);
    return true;
  }
  switch (pass_tagged_fields(input_)) {
    case TaggedEnd::kEnd:
      return true;
    case TaggedEnd::kCut:
      return fail(input_.offset(), "the file ends within an object");
    case TaggedEnd::kNone:
      break;
  }
  return fail(input_.offset(),
              "the object that began at " + std::to_string(object.offset) + " does not end here");
}

void Reader::count_trailing_bytes() {
  const std::uint64_t end = input_.offset();
  while (!input_.at_end()) input_.skip(input_.peek(1).size());
  trailing_bytes_ = input_.offset() - end;
  if (trailing_bytes_ != 0) {
    warn(fmt::format("{} bytes after the end of the trace are left out", trailing_bytes_));
  }
}

bool Reader::cut(std::string_view what) {
  const bool file_ends =
      input_.peek(static_cast<std::size_t>(std::min<std::uint64_t>(block_left_, kWindowBytes)))
          .size() < std::min<std::uint64_t>(block_left_, kWindowBytes);
  return fail(input_.offset(),
              fmt::format("the {} ends within {}", file_ends ? "file" : "block", what));
}

bool Reader::fail(std::uint64_t offset, std::string message) {
  if (!has_trace_) return refuse(offset, std::move(message));
  outcome_.end = ReadEnd::kDamaged;
  outcome_.offset = offset;
  outcome_.message = std::move(message);
  return false;
}

bool Reader::refuse(std::uint64_t offset, std::string message) {
  outcome_.end = delivered_ ? ReadEnd::kDamaged : ReadEnd::kRefused;
  outcome_.offset = offset;
  outcome_.message = std::move(message);
  return false;
}

void Reader::warn(std::string warning) {
  outcome_.warnings.push_back(std::move(warning));
}

}  // namespace ringside::tool::nettrace
