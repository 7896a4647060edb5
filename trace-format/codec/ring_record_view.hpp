// One record in a ring: its kind and the positions of its parts. For code that inspects records
// before they are encoded; the encoder has its own way, which inspects less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::trace {

// Refers to the bytes and to the table that it was parsed with.
struct RingRecordView {
  enum class State : std::uint8_t {
    kWhole,
    kIncomplete,  // the record continues after the bytes
    kCorrupt,     // see `why`
  };

  State state = State::kIncomplete;
  const char* why = nullptr;
  // With kWhole:
  const Site* site = nullptr;            // null: a control record
  std::uint64_t head = 0;                // see shm-layout/record_head.hpp
  std::uint32_t flags = 0;               // kExt..., of an extended record
  bool extended = false;                 // its length precedes its parts
  std::span<const std::byte> bytes;      // the whole record
  std::span<const std::byte> arguments;  // its last part
};

// The record at the front of `bytes`, all of which are checked.
RingRecordView view_ring_record(const SiteTable& sites, std::span<const std::byte> bytes);

// The optional parts of a whole record; none of them for a record that is not extended.
RecordExtension ring_extension(const RingRecordView& record);

}  // namespace ringside::trace
