#pragma once

#include <string>

namespace ringside::fleet {

// Of this host, as consumerd writes it into traces.
std::string host_name();

}  // namespace ringside::fleet
