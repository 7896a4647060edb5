#pragma once
// Levels by their names.

#include <optional>
#include <string>
#include <string_view>

#include "shm-layout/level.hpp"

namespace ringside::trace {

// TRACE to CRITICAL, in upper case.
std::optional<shm::Level> level_of_constant(std::string_view name);

// The same in any case.
std::optional<shm::Level> level_of_name(std::string_view name);

// "TRACE, DEBUG, ..." for messages.
std::string level_names();

}  // namespace ringside::trace
