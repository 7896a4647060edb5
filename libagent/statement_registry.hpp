#pragma once
// Statements of this process: known from load time, entered into the segment's dictionary when
// there is a segment, switched by level.

#include <optional>

#include "libagent/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// All of these with the slow-path lock held.

// Takes a statement among those of the process, once, and enters it if there is a segment.
void add_statement(Agent& agent, rs_site& site) noexcept;

// Enters every loaded statement that has no id yet.
void register_loaded_statements(Agent& agent);

// Gives the statement an id, its dictionary entry and its switch, or says why its records are lost.
std::optional<shm::LossCause> register_statement(Agent& agent, rs_site& site);

// Sets the switch of every registered statement by `level`.
void apply_level(Agent& agent, std::uint8_t level);

// Forgets all ids, for a child process that will have a segment of its own.
void forget_registrations(Agent& agent);

}  // namespace ringside
