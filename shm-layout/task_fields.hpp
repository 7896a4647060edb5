#pragma once
// The first fields of the context of records that a task made: its name, its number, and how often
// it had been resumed.

#include <cstddef>
#include <string_view>

namespace ringside::shm {

inline constexpr std::string_view kTaskNameField = "task";   // string
inline constexpr std::string_view kTaskIdField = "task.id";  // u64: unique in the process, from 1
inline constexpr std::string_view kTaskStepField = "task.step";  // u64: from 1
inline constexpr std::size_t kTaskFields = 3;

}  // namespace ringside::shm
