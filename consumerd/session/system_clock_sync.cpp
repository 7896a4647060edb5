#include "consumerd/session/system_clock_sync.hpp"

#include <algorithm>
#include <ctime>

#include <sys/timex.h>

namespace ringside::consumer {

trace::ClockSync read_clock_sync() {
  trace::ClockSync sync;
  timex state{};  // without modes: changes nothing
  const int result = clock_adjtime(CLOCK_REALTIME, &state);
  if (result == -1) return sync;
  const bool is_synchronised = result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
  sync.state =
      is_synchronised ? trace::SyncState::kSynchronised : trace::SyncState::kUnsynchronised;
  const auto ns_of_us = [](long us) {
    return static_cast<std::uint64_t>(std::max(us, 0L)) * 1000U;
  };
  sync.offset_ns = (state.status & STA_NANO) != 0 ? state.offset : state.offset * 1000;
  sync.max_error_ns = ns_of_us(state.maxerror);
  sync.estimated_error_ns = ns_of_us(state.esterror);
  return sync;
}

}  // namespace ringside::consumer
