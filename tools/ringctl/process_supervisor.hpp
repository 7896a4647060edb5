#pragma once
// Whether another program owns a process, and would restart it, or end with it.

#include <string>

namespace ringside::tool {

struct RunningProcess;

// Who that is and what to use instead of `ringctl upgrade`; empty if nothing is known of an owner.
std::string supervisor_of(const RunningProcess& process);

}  // namespace ringside::tool
