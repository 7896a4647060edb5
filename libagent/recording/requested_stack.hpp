#pragma once
// Stacks of statements whose switch is on with stacks. The log call itself does not know of them:
//
// 1. Its switch has a value that the library decides: rs_site_enabled_slow() requests a stack, and
//    the next reservation of the thread takes the slow path.
// 2. rs_reserve_slow() walks the stack and reserves more:
//
//      | pad 8 | the record, written by the log call | u32 count, addresses |
//
// 3. The record begins after a pad, so that it looks like a nested one: rs_publish_nested() gives
//    it the statement's second id (stacked_statement.hpp), whose last field is the stack, and
//    publishes everything together.

#include <cstdint>
#include <optional>

#include "libagent/recording/agent.hpp"

namespace ringside {

// For the execution of a statement that will reserve its record. `caller_frame`: the stack pointer
// of the code that executes it; frames below are the library's own.
void request_stack(rs_site& site, std::uintptr_t caller_frame);

bool is_stack_requested();

// For rs_reserve_slow() with the same arguments, if is_stack_requested().
std::uint64_t reserve_with_stack(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc);

// Where a record with a stack is.
struct StackedPlace {
  std::uint64_t begin;
  std::uint64_t bytes;
};
// If the record that begins at `start` has a stack: completes it, and returns what to publish.
std::optional<StackedPlace> complete_stacked(std::uint64_t start);

// The calls that had reserved records with stacks were abandoned, or the ring is another one.
void forget_stacked_records();

// When a thread ends.
void free_stacked_calls();

}  // namespace ringside
