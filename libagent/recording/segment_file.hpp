#pragma once
// Creates this process's segment (shm-layout/README.md) in the shared-memory directory.

#include <memory>
#include <string>

#include "libagent/recording/agent.hpp"

namespace ringside {

// A complete, visible, locked segment, or null with `why`: the reason and the remedy. Every byte is
// reserved before it is used: a full file system is detected here and never becomes a SIGBUS later.
std::unique_ptr<Segment> create_segment(const Options& options, std::string* why);

}  // namespace ringside
