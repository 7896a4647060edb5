#pragma once
// Whether a consumerd lives that would take over what another one has left.

#include <string>

namespace ringside::tool {

// Of those that drain this user's segments in the directory. By the lock that such a consumerd
// holds (shm-layout/consumer_presence.hpp).
bool consumer_lives(const std::string& shm_dir);

}  // namespace ringside::tool
