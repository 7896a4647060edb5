#include "trace-format/blocks/clock_sync.hpp"

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {

ClockSync ClockSync::parse(std::span<const std::byte> payload) {
  ClockSync sync;
  if (payload.size() < kClockSyncEnd) return sync;
  const std::byte* const p = payload.data() + kClockBytes;
  const auto state = load<std::uint32_t>(p);
  if (state != static_cast<std::uint32_t>(SyncState::kSynchronised) &&
      state != static_cast<std::uint32_t>(SyncState::kUnsynchronised)) {
    return sync;
  }
  sync.state = static_cast<SyncState>(state);
  sync.offset_ns = load<std::int64_t>(p + 8);
  sync.max_error_ns = load<std::uint64_t>(p + 16);
  sync.estimated_error_ns = load<std::uint64_t>(p + 24);
  return sync;
}

void ClockSync::store(std::byte* payload) const {
  std::byte* const p = payload + kClockBytes;
  trace::store(p, static_cast<std::uint32_t>(state));
  trace::store(p + 4, std::uint32_t{0});
  trace::store(p + 8, offset_ns);
  trace::store(p + 16, max_error_ns);
  trace::store(p + 24, estimated_error_ns);
}

}  // namespace ringside::trace
