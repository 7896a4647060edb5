#include "tools/interop/perfetto/perfetto_clocks.hpp"

#include <vector>

#include "tools/interop/perfetto/protobuf_decoding.hpp"

namespace ringside::tool::perfetto {
namespace {

struct Reading {
  std::uint32_t clock = 0;
  std::uint64_t timestamp = 0;
  std::uint64_t unit_ns = 1;
  bool is_incremental = false;

  std::uint64_t ns() const { return timestamp * unit_ns; }
};

bool is_of_sequence(std::uint32_t clock) {
  return clock >= clock_snapshot::kFirstOfSequence && clock <= clock_snapshot::kLastOfSequence;
}

bool read_reading(std::string_view message, Reading& reading) {
  protobuf::Fields fields(message);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case clock_snapshot::kClockId:
        reading.clock = static_cast<std::uint32_t>(field.value);
        break;
      case clock_snapshot::kTimestamp:
        reading.timestamp = field.value;
        break;
      case clock_snapshot::kIncremental:
        reading.is_incremental = field.value != 0;
        break;
      case clock_snapshot::kUnitNs:
        reading.unit_ns = field.value == 0 ? 1 : field.value;
        break;
      default:
        break;
    }
  }
  return fields.is_sound();
}

}  // namespace

Clock* Clocks::find(std::uint32_t clock, SequenceClocks& own) {
  auto& clocks = is_of_sequence(clock) ? own : clocks_;
  const auto found = clocks.find(clock);
  if (found != clocks.end()) return &found->second;
  return clocks.size() < kMostClocks ? &clocks[clock] : nullptr;
}

bool Clocks::take(std::string_view snapshot, SequenceClocks& own) {
  std::vector<Reading> readings;
  protobuf::Fields fields(snapshot);
  for (protobuf::Field field; fields.next(field);) {
    if (field.number == clock_snapshot::kPrimaryClock && field.is_number() && field.value != 0) {
      primary_ = static_cast<std::uint32_t>(field.value);
    }
    if (field.number != clock_snapshot::kClocks || !field.is_bytes()) continue;
    if (!read_reading(field.bytes, readings.emplace_back())) return false;
  }
  if (!fields.is_sound()) return false;

  // The time of the snapshot: by BOOTTIME, or else by any known clock, or by REALTIME.
  std::optional<std::uint64_t> unix_ns;
  const Reading* realtime = nullptr;
  for (const Reading& reading : readings) {
    if (reading.clock == clock_snapshot::kRealtime) realtime = &reading;
    if (is_of_sequence(reading.clock)) continue;
    const Clock* const clock = find(reading.clock, own);
    const bool is_best = reading.clock == clock_snapshot::kBoottime || !unix_ns;
    if (clock != nullptr && clock->is_known && is_best) unix_ns = reading.ns() + clock->offset;
  }
  if (realtime != nullptr && (!unix_ns || !knows_unix_time_)) {
    unix_ns = realtime->ns();
    knows_unix_time_ = true;
  }
  if (!unix_ns) {
    if (readings.empty()) return true;
    unix_ns = readings.front().ns();
    for (const Reading& reading : readings) {
      if (reading.clock == clock_snapshot::kBoottime) unix_ns = reading.ns();
    }
    has_guessed_ = true;
  }
  for (const Reading& reading : readings) {
    if (reading.clock == clock_snapshot::kRealtime) continue;
    Clock* const clock = find(reading.clock, own);
    if (clock == nullptr) continue;
    clock->offset = *unix_ns - reading.ns();
    clock->unit_ns = reading.unit_ns;
    clock->is_incremental = reading.is_incremental;
    clock->last = reading.ns();
    clock->is_known = true;
  }
  return true;
}

std::optional<std::uint64_t> Clocks::unix_ns(std::uint64_t timestamp, std::uint32_t clock,
                                             SequenceClocks& own) {
  if (clock == 0) clock = primary_;
  if (clock == clock_snapshot::kRealtime) return timestamp;
  Clock* const found = find(clock, own);
  if (found == nullptr) return std::nullopt;
  if (!found->is_known) {
    if (is_of_sequence(clock)) return std::nullopt;
    has_guessed_ = true;
    return timestamp;
  }
  std::uint64_t ns = timestamp * found->unit_ns;
  if (found->is_incremental) ns = found->last += ns;
  return ns + found->offset;
}

}  // namespace ringside::tool::perfetto
