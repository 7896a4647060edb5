#pragma once
// The second id of a statement, for its records with a stack: these have one field more. It is
// entered into the dictionary when the first of them is recorded.

#include <cstdint>

#include "libagent/recording/agent.hpp"

namespace ringside {

// The second id, entered now if need be; 0: its records have no stack. For a registered statement.
// Signal-safe.
std::uint32_t stacked_id(rs_site& site, Segment& segment);

// 0: it was not needed yet. The slow-path lock is held for both.
std::uint32_t known_stacked_id(const Segment& segment, std::uint32_t site_id);
// `to` has the same dictionary.
void take_over_stacked_ids(const Segment& from, Segment& to);

}  // namespace ringside
