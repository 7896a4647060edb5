#pragma once
// The open files of a process, from /proc.

#include <functional>
#include <string>

#include <sys/types.h>

namespace ringside::tool {

// Calls `check` for the link of each descriptor (/proc/PID/fd/N), until it returns true; returns
// whether it did. Those of processes that this user may not look at are none.
bool any_descriptor(pid_t pid, const std::function<bool(const std::string& link)>& check);

// The path that a link names, as its process sees it; that of a removed file ends with "
// (deleted)". Empty if it cannot be read.
std::string path_of_link(const std::string& link);

}  // namespace ringside::tool
