#pragma once
// Counts records that are not recorded: by cause, and by statement. Never on the record path.

#include <cstdint>

#include "libagent/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// What a reservation returns instead of a place.
constexpr std::uint64_t dropped(shm::LossCause cause) {
  return RS_DROPPED + static_cast<std::uint64_t>(cause);
}

// A record of `site` found no ring, no segment or no place in the dictionary. Counted in the
// control page and for the statement; before there is a segment in the process, which the
// segment then takes over. Lock-free; any thread, signal handlers included. `site` may be null.
void count_refusal(rs_site* site, shm::LossCause cause);

// For the statement only: its ring has counted already. As above.
void count_for_site(rs_site* site, shm::LossCause cause);

// What was counted before there was a segment goes to it. Lock held.
void book_refusals(Agent& agent);
// The same for a statement that was not registered.
void book_refusals(rs_site& site);

// Of all rings and of the process, since its start. Lock held.
std::uint64_t count_of(const Agent& agent, shm::LossCause cause);

// The ring has a new owner, whose counters begin at 0. Lock held.
void keep_counters_of_former_owner(Agent& agent, const shm::CountersLine& counters);

}  // namespace ringside
