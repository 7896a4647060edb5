#pragma once
// Counts executions of statements that are not recorded (shm-layout/site_executions.hpp). No lock,
// no system call; any thread, signal handlers included.

#include <cstdint>

#include "libagent/recording/agent.hpp"

namespace ringside {

// An execution of a registered statement whose switch is kSwitchCounting.
void count_execution(Segment& segment, std::uint64_t site_id);
// Executions that the statement suppressed by itself.
void count_suppressed(Segment& segment, std::uint64_t site_id, std::uint64_t executions);

}  // namespace ringside
