#pragma once
// Levels of Universal Logger Messages, the values of LVL.

#include <optional>
#include <string_view>

#include "shm-layout/level.hpp"

namespace ringside::tool::netlogger {

// Accepts Ringside's names, and those of the ULM draft and of syslog that rank an event, in upper
// or lower case. Empty for others, such as Usage or Auth.
std::optional<shm::Level> level_of(std::string_view name);

}  // namespace ringside::tool::netlogger
