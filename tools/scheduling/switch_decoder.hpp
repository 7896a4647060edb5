#pragma once
// The records of perf_event_open(2) that concern context switches, from the bytes of a ring.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tools/scheduling/switch_record.hpp"

namespace ringside::tool {

// A record with its header, as SwitchSource requests it: each ends with the identity of a sample
// (process and thread, time, processor). Empty for other kinds, for other processes, and for
// records that are too short for their kind. Trusts no length.
std::optional<SwitchRecord> decode_switch(std::span<const std::byte> record,
                                          std::uint32_t process_id);

}  // namespace ringside::tool
