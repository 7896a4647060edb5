#include "tools/interop/perfetto/perfetto_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <zlib.h>

#include <fmt/format.h>

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr std::size_t kMostFrameBytes = 20;  // a tag and a length
constexpr std::uint64_t kSmallestNoText = 128;
constexpr std::size_t kFirstUnpackedBytes = std::size_t{64} << 10;

constexpr std::pair<std::uint32_t, std::string_view> kPacketKinds[] = {
    {1, "ftrace_events"},
    {2, "process_tree"},
    {4, "inode_file_map"},
    {5, "chrome_events"},
    {packet::kClockSnapshot, "clock_snapshot"},
    {7, "sys_stats"},
    {9, "process_stats"},
    {packet::kTrackEvent, "track_event"},
    {33, "trace_config"},
    {34, "ftrace_stats"},
    {35, "trace_stats"},
    {36, "synchronization_marker"},
    {37, "profile_packet"},
    {38, "battery"},
    {39, "android_log"},
    {40, "power_rails"},
    {packet::kProcessDescriptor, "process_descriptor"},
    {packet::kThreadDescriptor, "thread_descriptor"},
    {45, "system_info"},
    {46, "trigger"},
    {47, "packages_list"},
    {48, "chrome_benchmark_metadata"},
    {49, "perfetto_metatrace"},
    {packet::kCompressed, "compressed_packets"},
    {51, "chrome_metadata"},
    {52, "gpu_counter_event"},
    {53, "gpu_render_stage_event"},
    {54, "streaming_profile_packet"},
    {packet::kTrackDescriptor, "track_descriptor"},
    {61, "module_symbols"},
    {66, "perf_sample"},
    {67, "cpu_info"},
    {68, "smaps_packet"},
    {69, "service_event"},
    {72, "extension_descriptor"},
    {78, "ui_state"},
    {89, "trace_uuid"},
    {90, "track_event_range_of_interest"},
    {107, "remote_clock_sync"},
    {109, "chrome_trigger"},
    {124, "trace_provenance"},
    {133, "zstd_compressed_packets"},
};

// True: the field is known, and its part of `result` is set. Unknown fields are the packet's data.
bool take_packet_field(const protobuf::Field& field, Packet& result) {
  switch (field.number) {
    case packet::kTimestamp:
      result.timestamp = field.value;
      return true;
    case packet::kSequenceId:
      result.sequence = static_cast<std::uint32_t>(field.value);
      return true;
    case packet::kInternedData:
      result.interned = field.bytes;
      return true;
    case packet::kSequenceFlags:
      result.flags |= field.value;
      return true;
    case packet::kOldStateCleared:
      if (field.value != 0) result.flags |= packet::kStateCleared;
      return true;
    case packet::kClockId:
      result.clock = static_cast<std::uint32_t>(field.value);
      return true;
    case packet::kDefaults:
      result.defaults = field.bytes;
      return true;
    case packet::kDropped:
      result.dropped = field.value;
      return true;
    case packet::kFirstOnSequence:
      result.is_first = field.value != 0;
      return true;
    case packet::kProducerPid:
      result.producer_pid = static_cast<std::uint32_t>(field.value);
      return true;
    case packet::kProducerUid:
    case packet::kMachineId:
      return true;
    default:
      return false;
  }
}

// Checks the first field, which can be cut.
bool begins_as_packets_do(std::string_view message) {
  const char* at = message.data();
  std::uint64_t tag = 0;
  if (!protobuf::take_varint(at, at + message.size(), tag)) return message.empty();
  if (tag >> 3 > packet::kLastField) return false;
  protobuf::Field first;
  first.number = static_cast<std::uint32_t>(tag >> 3);
  first.wire = static_cast<protobuf::Wire>(tag & 7U);
  Packet unused;
  if (take_packet_field(first, unused)) {
    return first.is_bytes() ==
           (first.number == packet::kInternedData || first.number == packet::kDefaults);
  }
  return first.is_bytes() && !name_of_kind(first.number).empty();
}

}  // namespace

std::string_view name_of_kind(std::uint32_t kind) {
  for (const auto& [number, name] : kPacketKinds) {
    if (number == kind) return name;
  }
  return {};
}

Packet parse_packet(std::string_view message) {
  Packet result;
  result.bytes = message.size();
  protobuf::Fields fields(message);
  for (protobuf::Field field; fields.next(field);) {
    if (take_packet_field(field, result)) continue;
    result.kind = field.number;
    result.data = field.is_bytes() ? field.bytes : std::string_view();
  }
  result.is_sound = fields.is_sound();
  return result;
}

Step PacketReader::next(Packet& packet) {
  if (next_unpacked(packet)) return Step::kPacket;
  input_.skip(std::exchange(shown_, 0));
  while (true) {
    const std::uint64_t offset = input_.offset();
    const std::span<const std::byte> head = input_.peek(kMostFrameBytes);
    if (head.empty()) return Step::kEnd;
    const char* const begin = reinterpret_cast<const char*>(head.data());
    const char* const end = begin + std::min(head.size(), kMostFrameBytes);
    const char* at = begin;
    std::uint64_t tag = 0;
    std::uint64_t bytes = 0;
    if (!protobuf::take_varint(at, end, tag) || !protobuf::take_varint(at, end, bytes)) {
      return damaged(offset, at == end && head.size() < kMostFrameBytes
                                 ? "the file ends within the length of a packet"
                                 : "not a packet");
    }
    if (tag != (trace_file::kPacket << 3 | static_cast<std::uint32_t>(protobuf::Wire::kBytes))) {
      return damaged(offset, "not a packet");
    }
    if (bytes > kMostPacketBytes) {
      return damaged(
          offset, fmt::format("a packet has {} bytes; the maximum is {}", bytes, kMostPacketBytes));
    }
    const auto frame_bytes = static_cast<std::size_t>(at - begin);
    const std::span<const std::byte> whole = input_.peek(frame_bytes + bytes);
    if (whole.size() < frame_bytes + bytes) {
      return damaged(offset, fmt::format("the file ends within a packet of {} bytes", bytes));
    }
    packet = parse_packet({reinterpret_cast<const char*>(whole.data()) + frame_bytes,
                           static_cast<std::size_t>(bytes)});
    packet.offset = offset;
    shown_ = frame_bytes + bytes;
    if (packet.kind != packet::kCompressed) return Step::kPacket;
    unpack(packet);
    if (!packet.is_sound || next_unpacked(packet)) return Step::kPacket;
    input_.skip(std::exchange(shown_, 0));
  }
}

Step PacketReader::damaged(std::uint64_t offset, std::string why) {
  offset_ = offset;
  why_ = std::move(why);
  return Step::kDamaged;
}

// Fills unpacked_ with the inner packets, or finds that they cannot be unpacked.
void PacketReader::unpack(Packet& packet) {
  offset_ = packet.offset;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) {
    packet.is_sound = false;
    return;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packet.data.data()));
  stream.avail_in = static_cast<uInt>(packet.data.size());
  std::size_t size = 0;
  int result = Z_OK;
  while (result == Z_OK && size < kMostUnpackedBytes) {
    if (unpacked_.size() == size) {
      unpacked_.resize(std::min(kMostUnpackedBytes, std::max(2 * size, kFirstUnpackedBytes)));
    }
    stream.next_out = reinterpret_cast<Bytef*>(unpacked_.data() + size);
    stream.avail_out = static_cast<uInt>(unpacked_.size() - size);
    result = inflate(&stream, Z_NO_FLUSH);
    size = unpacked_.size() - stream.avail_out;
  }
  inflateEnd(&stream);
  packet.is_sound = result == Z_STREAM_END;
  left_ = packet.is_sound ? std::string_view(unpacked_.data(), size) : std::string_view();
}

bool PacketReader::next_unpacked(Packet& packet) {
  if (left_.empty()) return false;
  protobuf::Fields fields(left_);
  protobuf::Field field;
  const bool found = fields.next(field);
  left_.remove_prefix(fields.position());
  if (found && field.number == trace_file::kPacket && field.is_bytes()) {
    packet = parse_packet(field.bytes);
    // No producer writes compressed packets within compressed packets.
    if (packet.kind == packet::kCompressed) packet.is_sound = false;
  } else {
    packet = {};
    packet.is_sound = false;
    left_ = {};
  }
  packet.offset = offset_;
  return true;
}

bool recognise(std::span<const std::byte> first_bytes) {
  std::string_view left(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  constexpr char kPacketTag = trace_file::kPacket << 3 | static_cast<char>(protobuf::Wire::kBytes);
  while (!left.empty() && left.front() == kPacketTag) {
    const char* at = left.data() + 1;
    std::uint64_t bytes = 0;
    if (!protobuf::take_varint(at, left.data() + left.size(), bytes)) return false;
    if (bytes > PacketReader::kMostPacketBytes) return false;
    left.remove_prefix(static_cast<std::size_t>(at - left.data()));
    if (bytes == 0) continue;
    const bool is_whole = bytes <= left.size();
    const std::string_view message = left.substr(0, static_cast<std::size_t>(bytes));
    if (!begins_as_packets_do(message)) return false;
    protobuf::Fields fields(message);
    bool has_fields = false;
    for (protobuf::Field field; fields.next(field); has_fields = true) {
      if (field.number > packet::kLastField) return false;
    }
    // A text can begin like this, but without the bytes of a large number.
    if (!is_whole) return has_fields || bytes >= kSmallestNoText;
    if (!fields.is_sound()) return false;
    left.remove_prefix(static_cast<std::size_t>(bytes));
    return left.empty() || left.front() == kPacketTag;
  }
  return false;
}

}  // namespace ringside::tool::perfetto
