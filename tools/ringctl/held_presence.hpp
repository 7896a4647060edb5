#pragma once
// Keeps the presence of a consumerd (shm-layout/consumer_presence.hpp) while another one takes its
// place: services with full rings then wait as for a living consumer, which this is the sign of.

#include <string>

#include <sys/types.h>

#include "tools/files/owned_fd.hpp"

namespace ringside::tool {

// Locks what the process `pid` has locked of the presence file, for as long as the descriptor is
// open. Empty if it has locked nothing.
OwnedFd hold_presence(pid_t pid, const std::string& shm_dir);

}  // namespace ringside::tool
