#pragma once
// Losses as text and as tokens.

#include <cstdint>
#include <string>
#include <string_view>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// "12 records: the ring was full".
std::string loss_text(const Event& loss);

// ring_full, no_consumer, several, missing, no_ring, no_shared_memory, dictionary_full,
// quarantined, overwritten, too_large, late, unknown: for programs.
std::string_view loss_cause_token(LossCause cause);

}  // namespace ringside::trace
