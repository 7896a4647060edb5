// Builds every block except EXTENT, in memory of the caller (consumerd: its staging slot). Each
// function writes one complete block to the front of `out` and returns its size, or 0 if there is
// no room (bytes of `out` may have changed).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/blocks/format_constants.hpp"

namespace ringside::trace {

// Contents of a HEADER block. Texts longer than 65,535 bytes are cut.
struct SectionHeader {
  std::uint16_t format_major = kFormatMajor;
  std::uint16_t format_minor = kFormatMinor;
  std::uint16_t reader_major = kFormatMajor;  // the oldest reader that can read the file
  std::uint16_t reader_minor = 0;
  std::array<std::uint8_t, 16> uuid{};
  std::uint32_t pid = 0;
  std::uint32_t uid = 0;
  std::uint64_t tick_hz = 0;
  std::uint64_t start_tsc = 0;
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t start_realtime_ns = 0;
  std::array<std::uint8_t, 16> boot_id{};
  ClockSource clock_source = ClockSource::kTsc;
  std::uint32_t file_sequence = 0;
  std::uint32_t writer_version = 0;  // major << 16 | minor << 8 | patch
  std::string_view service;
  std::string_view executable;
  std::string_view host;

  // Texts point into `payload`. False if it is too short.
  static bool parse(std::span<const std::byte> payload, SectionHeader& header);
};

struct StreamBlock {
  std::uint64_t stream_id = 0;
  std::uint64_t start_tsc = 0;
  std::uint32_t thread_id = 0;
  std::uint32_t ring_index = 0;
  std::string_view thread_name;

  static bool parse(std::span<const std::byte> payload, StreamBlock& stream);
};

struct StreamPosition {
  std::uint64_t stream_id = 0;
  std::uint64_t next_sequence = 0;
};

// In an END from whose section a shipper left records out: their number is not known.
inline constexpr std::uint64_t kUncounted = UINT64_MAX;

struct EndBlock {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  EndReason reason = EndReason::kConsumerEnded;
  std::uint64_t index_bytes = 0;  // of the preceding INDEX block; 0: no INDEX block

  static bool parse(std::span<const std::byte> payload, EndBlock& end);
};

std::size_t write_header_block(const SectionHeader& header, std::span<std::byte> out);
// `entries`: whole dictionary entries.
std::size_t write_dictionary_block(std::span<const std::byte> entries, std::span<std::byte> out);
std::size_t write_clock_block(const ClockPoint& point, std::span<std::byte> out);
std::size_t write_stream_block(const StreamBlock& stream, std::span<std::byte> out);
std::size_t write_sequence_point_block(std::uint64_t watermark_tsc,
                                       std::span<const StreamPosition> positions,
                                       std::span<std::byte> out);
std::size_t write_end_block(const EndBlock& end, std::span<std::byte> out);

// Watermark of a SEQUENCE_POINT payload. False if it is too short.
bool parse_watermark(std::span<const std::byte> payload, std::uint64_t& watermark_tsc);

}  // namespace ringside::trace
