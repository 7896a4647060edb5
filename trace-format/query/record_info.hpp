// What a visitor can read of a record besides the values of its fields.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "shm-layout/record_head.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace::query {

// A field's index among its site's fields; kNoPlace if the site lacks the field.
using FieldPlace = std::uint16_t;
inline constexpr FieldPlace kNoPlace = 0xffff;
// The site lacks it, and the context of a record may have it.
inline constexpr FieldPlace kInContext = 0xfffe;

class SiteBindings;

// Lives during the visit.
struct RecordInfo {
  std::uint64_t unix_ns = 0;
  std::uint64_t tsc = 0;
  std::uint64_t sequence = 0;  // in its stream
  const Site* site = nullptr;
  const StreamInfo* stream = nullptr;  // the thread
  const SegmentInfo* segment = nullptr;
  const RecordExtension* extension = nullptr;  // null: the record has none
  std::uint32_t processor = 0;                 // its code, shm::processor_code()
  const Value* args = nullptr;                 // one for each field of the site
  std::span<const FieldPlace> places;          // of the query's fields

  const RecordContext* context = nullptr;  // null: none
  const SiteBindings* contexts = nullptr;  // places of the query's fields in statements of contexts

  // The value of the query's field number `index`; null if the site and the context lack it.
  const Value* value(std::size_t index) const {
    const FieldPlace place = places[index];
    return place < kInContext ? args + place : value_in_context(index);
  }
  // Null if the site lacks it.
  const Value* own_value(std::size_t index) const {
    const FieldPlace place = places[index];
    return place < kInContext ? args + place : nullptr;
  }

  // Duration of a span; empty if the record has none. Durations above 584 years are clamped to
  // that.
  std::optional<std::uint64_t> duration_ns() const {
    if (extension == nullptr || (extension->ext_flags & shm::kExtDuration) == 0) return {};
    const std::uint64_t hz = segment->tick_hz == 0 ? 1'000'000'000 : segment->tick_hz;
    const UInt128 ns = UInt128{extension->duration} * 1'000'000'000 / hz;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return ns > kMost ? kMost : static_cast<std::uint64_t>(ns);
  }

 private:
  const Value* value_in_context(std::size_t index) const;
};

}  // namespace ringside::trace::query
