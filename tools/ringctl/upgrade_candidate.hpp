#pragma once
// What `ringctl upgrade` finds out before it changes anything: the consumerd that runs, the program
// that is to replace it, and whether that accepts the same options.

#include <chrono>
#include <optional>
#include <string>

#include "tools/ringctl/consumer_replacement.hpp"
#include "tools/ringctl/process_twin.hpp"
#include "tools/ringctl/running_process.hpp"

namespace ringside::tool {

struct UpgradeCandidate {
  RunningProcess running;
  StandardStreams streams;
  std::string note;  // what is not as in the running process; empty: nothing
  Program next;
  Program previous;  // what runs now, also if its file was replaced
  std::string version;
  std::string next_version;
};

// `program`: the path of the program; empty: that with which the process was started. Empty with
// `*why` if the process must not be replaced in this way, or the program is unsuitable.
std::optional<UpgradeCandidate> check_upgrade(pid_t pid, const std::string& program,
                                              std::chrono::nanoseconds timeout, std::string* why);

}  // namespace ringside::tool
