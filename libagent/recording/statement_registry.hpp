#pragma once
// Statements of this process: known from load time, entered into the segment's dictionary once
// there is a segment, switched by level.

#include <optional>

#include "libagent/recording/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// The slow-path lock is held for all functions.

// Adds a statement to those of the process, once, and registers it if there is a segment.
void add_statement(Agent& agent, rs_site& site, bool is_reentered) noexcept;

// Removes a statement from those of the process.
void remove_statement(Agent& agent, rs_site& site) noexcept;

// Registers every loaded statement that has no id yet.
void register_loaded_statements(Agent& agent);

// Log calls may ask without the lock; it orders this with registrations by other threads.
inline bool is_registered(const rs_site& site) {
  return __atomic_load_n(&site.state, __ATOMIC_ACQUIRE) != &rs_initial_switch;
}

// Gives the statement an id, its dictionary entry and its switch, or returns the cause of its
// records' loss.
std::optional<shm::LossCause> register_statement(Agent& agent, rs_site& site);

// Sets the switch of every registered statement by `level`.
void apply_level(Agent& agent, std::uint8_t level);
// The level of new statements at present, RS_LEVEL_TRACE to RS_LEVEL_OFF.
std::uint8_t present_level(const Segment& segment);

// Forgets all ids, for a child process that will have its own segment.
void forget_registrations(Agent& agent);

}  // namespace ringside
