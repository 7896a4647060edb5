#include "trace-format/blocks/block_writer.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kMaxTextBytes = 0xFFFF;

std::size_t text_bytes(std::string_view text) {
  return 2 + std::min(text.size(), kMaxTextBytes);
}

std::byte* put_text(std::byte* p, std::string_view text) {
  const std::size_t bytes = std::min(text.size(), kMaxTextBytes);
  store(p, static_cast<std::uint16_t>(bytes));
  if (bytes != 0) std::memcpy(p + 2, text.data(), bytes);
  return p + 2 + bytes;
}

bool take_text(std::span<const std::byte>& rest, std::string_view& text) {
  if (rest.size() < 2) return false;
  const std::size_t bytes = load<std::uint16_t>(rest.data());
  if (rest.size() - 2 < bytes) return false;
  text = {reinterpret_cast<const char*>(rest.data() + 2), bytes};
  rest = rest.subspan(2 + bytes);
  return true;
}

// The position of a block's payload, or null if it does not fit.
std::byte* payload_of(std::span<std::byte> out, std::size_t payload_bytes) {
  const bool fits = payload_bytes <= kMaxPayloadBytes && out.size() >= kBlockHeaderBytes &&
                    out.size() - kBlockHeaderBytes >= payload_bytes;
  return fits ? out.data() + kBlockHeaderBytes : nullptr;
}

std::size_t finish(std::span<std::byte> out, BlockType type, std::size_t payload_bytes) {
  write_block_frame(out.data(), type, payload_bytes);
  return kBlockHeaderBytes + payload_bytes;
}

}  // namespace

std::size_t write_header_block(const SectionHeader& header, std::span<std::byte> out) {
  const std::size_t bytes = kHeaderFixedBytes + text_bytes(header.service) +
                            text_bytes(header.executable) + text_bytes(header.host);
  std::byte* const p = payload_of(out, bytes);
  if (p == nullptr) return 0;
  store(p, header.format_major);
  store(p + 2, header.format_minor);
  store(p + 4, header.reader_major);
  store(p + 6, header.reader_minor);
  std::memcpy(p + 8, header.uuid.data(), 16);
  store(p + 24, header.pid);
  store(p + 28, header.uid);
  store(p + 32, header.tick_hz);
  store(p + 40, header.start_tsc);
  store(p + 48, header.start_monotonic_ns);
  store(p + 56, header.start_realtime_ns);
  std::memcpy(p + 64, header.boot_id.data(), 16);
  store(p + 80, static_cast<std::uint32_t>(header.clock_source));
  store(p + 84, header.file_sequence);
  store(p + 88, header.writer_version);
  store(p + 92, std::uint32_t{0});
  put_text(put_text(put_text(p + kHeaderFixedBytes, header.service), header.executable),
           header.host);
  return finish(out, BlockType::kHeader, bytes);
}

bool SectionHeader::parse(std::span<const std::byte> payload, SectionHeader& header) {
  if (payload.size() < kHeaderFixedBytes) return false;
  const std::byte* p = payload.data();
  header.format_major = load<std::uint16_t>(p);
  header.format_minor = load<std::uint16_t>(p + 2);
  header.reader_major = load<std::uint16_t>(p + 4);
  header.reader_minor = load<std::uint16_t>(p + 6);
  std::memcpy(header.uuid.data(), p + 8, 16);
  header.pid = load<std::uint32_t>(p + 24);
  header.uid = load<std::uint32_t>(p + 28);
  header.tick_hz = load<std::uint64_t>(p + 32);
  header.start_tsc = load<std::uint64_t>(p + 40);
  header.start_monotonic_ns = load<std::uint64_t>(p + 48);
  header.start_realtime_ns = load<std::uint64_t>(p + 56);
  std::memcpy(header.boot_id.data(), p + 64, 16);
  header.clock_source = static_cast<ClockSource>(load<std::uint32_t>(p + 80));
  header.file_sequence = load<std::uint32_t>(p + 84);
  header.writer_version = load<std::uint32_t>(p + 88);
  auto rest = payload.subspan(kHeaderFixedBytes);
  return take_text(rest, header.service) && take_text(rest, header.executable) &&
         take_text(rest, header.host);
}

std::size_t write_dictionary_block(std::span<const std::byte> entries, std::span<std::byte> out) {
  std::byte* const p = payload_of(out, entries.size());
  if (p == nullptr) return 0;
  if (!entries.empty()) std::memcpy(p, entries.data(), entries.size());
  return finish(out, BlockType::kDictionary, entries.size());
}

std::size_t write_clock_block(const ClockPoint& point, std::span<std::byte> out) {
  const bool has_sync = point.sync.state != SyncState::kUnknown;
  const std::size_t bytes = has_sync ? kClockSyncEnd : kClockBytes;
  std::byte* const p = payload_of(out, bytes);
  if (p == nullptr) return 0;
  store(p, point.tsc0);
  store(p + 8, point.unix_ns0);
  store(p + 16, point.ns_per_tick);
  store(p + 24, point.monotonic_ns);
  store(p + 32, point.realtime_ns);
  if (has_sync) point.sync.store(p);
  return finish(out, BlockType::kClock, bytes);
}

std::size_t write_stream_block(const StreamBlock& stream, std::span<std::byte> out) {
  const std::size_t bytes = kStreamFixedBytes - 2 + text_bytes(stream.thread_name);
  std::byte* const p = payload_of(out, bytes);
  if (p == nullptr) return 0;
  store(p, stream.stream_id);
  store(p + 8, stream.start_tsc);
  store(p + 16, stream.thread_id);
  store(p + 20, stream.ring_index);
  put_text(p + 24, stream.thread_name);
  return finish(out, BlockType::kStream, bytes);
}

bool StreamBlock::parse(std::span<const std::byte> payload, StreamBlock& stream) {
  if (payload.size() < kStreamFixedBytes) return false;
  const std::byte* p = payload.data();
  stream.stream_id = load<std::uint64_t>(p);
  stream.start_tsc = load<std::uint64_t>(p + 8);
  stream.thread_id = load<std::uint32_t>(p + 16);
  stream.ring_index = load<std::uint32_t>(p + 20);
  auto rest = payload.subspan(24);
  return take_text(rest, stream.thread_name);
}

std::size_t write_sequence_point_block(std::uint64_t watermark_tsc,
                                       std::span<const StreamPosition> positions,
                                       std::span<std::byte> out) {
  const std::size_t bytes = kSequencePointFixedBytes + positions.size() * kSequencePointEntryBytes;
  std::byte* p = payload_of(out, bytes);
  if (p == nullptr) return 0;
  store(p, watermark_tsc);
  store(p + 8, static_cast<std::uint32_t>(positions.size()));
  store(p + 12, std::uint32_t{0});
  p += kSequencePointFixedBytes;
  for (const StreamPosition& position : positions) {
    store(p, position.stream_id);
    store(p + 8, position.next_sequence);
    p += kSequencePointEntryBytes;
  }
  return finish(out, BlockType::kSequencePoint, bytes);
}

bool parse_watermark(std::span<const std::byte> payload, std::uint64_t& watermark_tsc) {
  if (payload.size() < kSequencePointFixedBytes) return false;
  watermark_tsc = load<std::uint64_t>(payload.data());
  return true;
}

std::size_t write_end_block(const EndBlock& end, std::span<std::byte> out) {
  std::byte* const p = payload_of(out, kEndBytes);
  if (p == nullptr) return 0;
  store(p, end.records);
  store(p + 8, end.dropped);
  store(p + 16, static_cast<std::uint32_t>(end.reason));
  store(p + 20, std::uint32_t{0});
  store(p + 24, end.index_bytes);
  return finish(out, BlockType::kEnd, kEndBytes);
}

bool EndBlock::parse(std::span<const std::byte> payload, EndBlock& end) {
  if (payload.size() < kEndBytesWithoutIndex) return false;
  const std::byte* p = payload.data();
  end.records = load<std::uint64_t>(p);
  end.dropped = load<std::uint64_t>(p + 8);
  end.reason = static_cast<EndReason>(load<std::uint32_t>(p + 16));
  end.index_bytes = payload.size() < kEndBytes ? 0 : load<std::uint64_t>(p + 24);
  return true;
}

}  // namespace ringside::trace
