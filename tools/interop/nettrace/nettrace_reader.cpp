#include "tools/interop/nettrace/nettrace_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/nettrace/nettrace_tagged_fields.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr std::size_t kMostTypeNameBytes = 1024;
constexpr std::size_t kTypeHeadBytes = 1 + 1 + 1 + 4 + 4 + 4;

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

TraceFacts trace_facts(const ObjectFacts& object, const std::byte* p) {
  TraceFacts trace;
  trace.version = object.version;
  trace.min_reader_version = object.min_reader_version;
  // The index of a position, which the end of the file states.
  if (trace.version < kNetperfVersion) p += 4;
  for (std::size_t i = 0; i < trace.sync_time.size(); ++i) {
    trace.sync_time[i] = trace::load<std::uint16_t>(p + 2 * i);
  }
  trace.sync_qpc = trace::load<std::int64_t>(p + 16);
  trace.qpc_frequency = trace::load<std::int64_t>(p + 24);
  if (trace.version < kNetperfVersion) {
    trace.pointer_bytes = 8;  // only written on Linux, for processors of 64 bits
    return trace;
  }
  trace.pointer_bytes = trace::load<std::int32_t>(p + 32);
  trace.process_id = trace::load<std::int32_t>(p + 36);
  trace.processors = trace::load<std::int32_t>(p + 40);
  trace.sampling_rate = trace::load<std::int32_t>(p + 44);
  return trace;
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
  constexpr std::size_t kSerializationBytes = 4 + 20;
  constexpr std::size_t kBytes = 8 + kSerializationBytes;
  const std::span<const std::byte> head = input_.peek(kBytes);
  if (is_serialization_head(head)) {  // NetPerf
    begin_ = Tag::kBeginObject;
    version_ = kNetperfVersion;
    input_.skip(kSerializationBytes);
    return true;
  }
  if (!begins_with(head, kMagic))
    return refuse(0, "neither a NetTrace nor a NetPerf file: the magic number is missing");
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
      warn(version_ < kNetperfVersion
               ? "the end of the trace is missing: the file may be truncated"
               : "the null reference at the end of the file is missing: the file may be truncated");
      return true;
    }
    if (is_tag(next, 0, Tag::kNullReference)) {
      if (!has_trace_) return refuse(input_.offset(), "the file has no trace object");
      input_.skip(1);
      ended_ = true;
      return true;
    }
    if (!read_object()) return false;
    if (ended_) return true;  // version 1 or 2, whose only object is the trace
  }
}

bool Reader::read_object() {
  ObjectFacts object;
  object.offset = input_.offset();
  if (!read_type(object)) return false;
  if (object.type == kTraceType ||
      (begin_ == Tag::kBeginObject && object.type == kNetperfTraceType)) {
    if (!read_trace(object)) return false;
    return version_ < kNetperfVersion ? read_event_stream() : end_object(object);
  }
  if (!has_trace_) {
    return refuse(object.offset, fmt::format("the first object is not a trace object, but \"{}\"",
                                             trace::visible(object.type)));
  }
  if (object.type == kEventBlockType) return read_block(object);
  if (version_ == kTraceVersion &&
      (object.type == kMetadataBlockType || object.type == kStackBlockType ||
       object.type == kSequencePointType)) {
    return read_block(object);
  }
  return pass_unknown(object) && end_object(object);
}

bool Reader::read_block(ObjectFacts& object) {
  const bool is_netperf = version_ < kTraceVersion;
  const std::int32_t version = is_netperf ? kNetperfBlockVersion : kBlockVersion;
  if (object.min_reader_version > version || object.version < version) {
    const std::string message =
        fmt::format("{} has version {} for readers of version {}; version {} is supported",
                    object.type, object.version, object.min_reader_version, version);
    return delivered_ ? fail(object.offset, message) : refuse(object.offset, message);
  }
  if (!open_block(object)) return false;
  visitor_.object(object);
  const bool whole = is_netperf                       ? read_netperf_blobs()
                     : object.type == kStackBlockType ? read_stacks()
                     : object.type == kSequencePointType
                         ? read_sequence_point()
                         : read_blobs(object, object.type == kMetadataBlockType);
  return whole && end_object(object);
}

bool Reader::read_type(ObjectFacts& object) {
  std::span<const std::byte> head = input_.peek(1 + kTypeHeadBytes);
  if (!is_tag(head, 0, begin_)) {
    return fail(object.offset,
                fmt::format("not an object: the first byte is {}", static_cast<unsigned>(head[0])));
  }
  if (head.size() < 1 + kTypeHeadBytes)
    return fail(object.offset, "the file ends within an object");
  if (!is_tag(head, 1, begin_) || !is_tag(head, 2, Tag::kNullReference)) {
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
  if (has_trace_) return fail(object.offset, "a second trace object");
  const bool is_netperf = begin_ == Tag::kBeginObject;
  const std::int32_t latest = is_netperf ? kNetperfVersion : kTraceVersion;
  if (object.version > latest || object.min_reader_version > latest ||
      object.version < (is_netperf ? 1 : kTraceVersion)) {
    return refuse(
        object.offset,
        fmt::format("the trace has version {} for readers of version {}; {}", object.version,
                    object.min_reader_version,
                    is_netperf
                        ? "versions 1 to 3 are supported in a NetPerf file"
                        : "version 4 is supported, which files called version 4 and 5 have"));
  }
  version_ = object.version;
  object.bytes = version_ < kNetperfVersion ? kTraceBytesBeforeVersion3 : kTraceBytes;
  const std::span<const std::byte> fields = input_.peek(static_cast<std::size_t>(object.bytes));
  if (fields.size() < object.bytes) {
    return refuse(object.offset, "the file ends within its trace object");
  }
  std::string why = visitor_.trace(trace_facts(object, fields.data()));
  if (!why.empty()) return refuse(object.offset, std::move(why));
  visitor_.object(object);
  input_.skip(static_cast<std::size_t>(object.bytes));
  has_trace_ = true;
  return true;
}

// The format says that such an object has only tagged fields; otherwise it is a block like the
// others.
bool Reader::pass_unknown(ObjectFacts& object) {
  const std::uint64_t begin = input_.offset();
  ++unknown_[object.type];
  const auto is_end_at = [this](std::uint64_t bytes) {
    const std::span<const std::byte> there = input_.peek(static_cast<std::size_t>(bytes) + 2);
    if (!is_tag(there, bytes, Tag::kEndObject)) return false;
    return there.size() == bytes + 1 || is_tag(there, bytes + 1, begin_) ||
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
