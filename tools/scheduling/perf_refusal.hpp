#pragma once
// Why the kernel refuses to record the switches of a process, and what helps.

#include <string>

#include <sys/types.h>

namespace ringside::tool {

// Of perf_event_open(2) for a thread of this process.
std::string open_refusal(pid_t pid, int error);
// Of mmap(2) for the ring of an event.
std::string ring_refusal(int error);

}  // namespace ringside::tool
