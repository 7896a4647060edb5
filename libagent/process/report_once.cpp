// What a compatibility header cannot do, reported once.

#include "libagent/include/ringside/abi.h"
#include "libagent/process/cancellation_off.hpp"
#include "libagent/process/standard_error.hpp"

void rs_report_once(uint8_t* is_reported, const char* text) {
  if (__atomic_exchange_n(is_reported, std::uint8_t{1}, __ATOMIC_RELAXED) != 0) return;
  const ringside::CancellationOff cancellation_off;
  ringside::Reports line;
  line.add(text);
  ringside::write_to_standard_error(line.text());
}
