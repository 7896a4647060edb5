#pragma once
// The parts that differ between the lines of one statement and thread.

#include <cstdint>
#include <optional>
#include <span>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Refers to a record, or a copy of it, that must outlive this object.
struct LineEvent {
  std::uint64_t unix_ns = 0;
  std::uint64_t sequence = 0;
  std::span<const Value> args;
  const RecordExtension* extension = nullptr;        // null: the record has no extension
  std::uint32_t processor = 0;                       // its code, shm::processor_code()
  std::optional<std::uint64_t> clock_error_ns = {};  // as in Event
  bool order_unknown = false;                        // as in Event

  static const RecordExtension* extension_of(const Record& record) {
    return !record.is_empty() || record.cut ? &record : nullptr;
  }
  static LineEvent of(const Event& event) {
    return {event.unix_ns,          event.record.sequence,
            event.record.args,      extension_of(event.record),
            event.record.processor, event.clock_error_ns,
            event.order_unknown};
  }

  const RecordContext* context() const {
    return extension != nullptr ? extension->context : nullptr;
  }
  bool cut() const { return extension != nullptr && extension->cut; }
};

}  // namespace ringside::trace
