// One record as it lies in a ring: what it is, where its parts are. For whoever looks at records
// before they are encoded; the encoder has a way of its own that looks at less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace-format/site_table.hpp"

namespace ringside::trace {

// Refers to the bytes and to the table that it was read with.
struct RingRecordView {
  enum class State : std::uint8_t {
    kWhole,
    kIncomplete,  // it goes on behind the bytes
    kCorrupt,     // `why`
  };

  State state = State::kIncomplete;
  const char* why = nullptr;
  // With kWhole:
  const Site* site = nullptr;            // null: a control record
  std::uint64_t head = 0;                // see shm-layout/record_head.hpp
  std::uint32_t flags = 0;               // kExt..., of an extended record
  bool extended = false;                 // it has its length in front of its parts
  std::span<const std::byte> bytes;      // all of it
  std::span<const std::byte> arguments;  // the end of it
};

// The record that `bytes` begin with. Trusts none of them.
RingRecordView view_ring_record(const SiteTable& sites, std::span<const std::byte> bytes);

}  // namespace ringside::trace
