#pragma once
// Adds entries to the dictionary of a segment.

#include <cstdint>
#include <optional>

#include "libagent/description/field_types.hpp"
#include "libagent/description/statement_entry.hpp"
#include "libagent/recording/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// The id of the next statement.
inline std::uint32_t next_statement_id(const Segment& segment) {
  return segment.site_count + 1;
}

// Sets the agent's message and returns the cause of the loss.
shm::LossCause refuse_statement(Agent& agent, const Segment& segment, const char* what,
                                shm::LossCause cause = shm::LossCause::kDictionaryFull);

// Adds the entry, which has the id next_statement_id(), and reserves memory for its switch and its
// counters. Or returns the cause of its records' loss. The slow-path lock is held.
// `types`: of the statement; with `entry.has_stack()`, its records have a stack after them.
std::optional<shm::LossCause> append_statement(Agent& agent, Segment& segment,
                                               StatementEntry& entry, const FieldTypes& types);

}  // namespace ringside
