#pragma once
// From when on consumerd and ringcat miss nothing, by what they show to other processes.

#include <string>

#include <sys/types.h>

namespace ringside::tool {

// Whether the process has a handler for the signal. That of ringcat is there when it follows the
// traces; a signal before that would end it.
bool handles_signal(pid_t process, int signal);

// Whether a consumerd serves the directory: it has its staging file, which it creates last.
bool is_consumer_ready(const std::string& shm_dir);

// Whether segments of services are in the directory.
bool has_segments(const std::string& shm_dir);

}  // namespace ringside::tool
