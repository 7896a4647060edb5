#pragma once
// The process that a segment belongs to.

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace ringside::tool {

// The process with this number, which has the segment mapped, as this process sees it: the service
// can be in another PID namespace, below the one of this process. Empty with `*why` if there is
// none that this user may look at.
std::optional<pid_t> traced_process(const std::string& segment_path, std::uint32_t pid,
                                    std::string* why);

}  // namespace ringside::tool
