#pragma once
// Where the trace of a service is written.

#include <cstdint>
#include <string>

namespace ringside::tool {

// The directory of the trace file that the consumerd of the segment has open. Empty with `*why` if
// there is none, or if this user cannot see it under the same name.
std::string trace_directory(const std::string& shm_dir, const std::string& segment_path,
                            std::string* why);

}  // namespace ringside::tool
