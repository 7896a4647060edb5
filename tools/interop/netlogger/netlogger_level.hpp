#pragma once
// Levels of Universal Logger Messages, the values of LVL.

#include <optional>
#include <string_view>

#include "shm-layout/level.hpp"

namespace ringside::tool::netlogger {

// Of Ringside's names, and of those of the draft on ULM and of syslog that rank an event, in any
// case. Empty of others, such as Usage or Auth.
std::optional<shm::Level> level_of(std::string_view name);

}  // namespace ringside::tool::netlogger
