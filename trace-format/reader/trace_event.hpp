// The events that a reader of trace files delivers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "shm-layout/loss_cause.hpp"
#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/blocks/clock_sync.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::trace {

// One process's trace segment, from its HEADER block.
struct SegmentInfo {
  std::array<std::uint8_t, 16> uuid{};
  std::array<std::uint8_t, 16> boot_id{};
  std::uint32_t pid = 0;
  std::uint32_t uid = 0;
  std::uint64_t tick_hz = 0;
  std::uint64_t start_tsc = 0;
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t start_realtime_ns = 0;
  std::uint32_t clock_source = 0;
  std::uint32_t file_sequence = 0;
  std::uint32_t writer_version = 0;
  std::string service;
  std::string executable;
  std::string host;
  std::string file;  // the path it was read from
};

// One thread. Everything but the id is 0 or empty if its STREAM block is lost.
struct StreamInfo {
  std::uint64_t id = 0;
  std::uint64_t start_tsc = 0;
  std::uint32_t thread_id = 0;
  std::uint32_t ring_index = 0;
  std::string thread_name;
  std::uint32_t revision = 0;  // changes when one of the members above changes
};

using shm::LossCause;

// kSiteLoss only with ReadOptions::site_losses.
enum class EventKind : std::uint8_t { kRecord, kLoss, kSiteLoss };

// A record, or the place where records are lost, or the number of records of one site lost in an
// interval. The losses by stream and those by site are two views of the same losses. Everything
// that it refers to is valid until the reader's next next().
struct Event {
  EventKind kind = EventKind::kRecord;
  std::uint64_t unix_ns = 0;
  // For a loss: only tsc, stream_id and the sequence number of the first lost record. For a site's
  // loss: tsc and the site, which is null if it is unknown.
  Record record;
  std::uint64_t lost = 0;  // for a loss: number of records
  LossCause cause = LossCause::kUnknown;
  std::uint64_t since_ns = 0;            // for a loss: they were lost from this time to unix_ns
  const StreamInfo* stream = nullptr;    // for losses without a stream: one with the id 0
  const SegmentInfo* segment = nullptr;  // lives as long as the reader
  // Of a record with a duration: the times of the ticks of its segment, until the next event; null
  // if it is of no file.
  const ClockMap* clocks = nullptr;
  // If the trace is of several hosts: how far unix_ns can be from the true time, see
  // ClockPoint::error_ns().
  std::optional<std::uint64_t> clock_error_ns;
  bool order_unknown = false;  // for a caller that marks events; readers leave it as it is
  // Index of the section in the set. Sites and streams live only while their section is read: code
  // that keeps data about one must use this number as part of the key.
  std::uint32_t section = 0;
};

// Whether a record that follows newer ones is late. A span is recorded at its end: it is not.
inline bool counts_as_late(const Event& event) {
  return (event.record.ext_flags & shm::kExtFromEnd) == 0;
}

}  // namespace ringside::trace
