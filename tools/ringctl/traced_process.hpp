#pragma once
// The process that a segment belongs to.

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace ringside::tool {

// The process that has the segment mapped, as this process sees it. Empty with `*why` if the number
// in the segment's name is that of another process, because it counts in another PID namespace, or
// if this user may not look.
std::optional<pid_t> traced_process(const std::string& segment_path, std::uint32_t pid,
                                    std::string* why);

}  // namespace ringside::tool
