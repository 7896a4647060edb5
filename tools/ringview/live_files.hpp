#pragma once
// What a live report is of: trace files, and segments that no consumer reads.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ringview/live_board.hpp"
#include "tools/ringview/live_segments.hpp"

namespace ringside::tool {

struct LiveFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  // Unix time
  bool operator==(const LiveFile&) const = default;
};

struct LiveFiles {
  std::vector<LiveFile> files;  // that are not empty, and can be opened
  std::vector<UnreadableFile> unreadable;
  LiveSegments in_memory;  // whose records are in no file
  bool operator==(const LiveFiles&) const = default;
};

// False with `*why` if a path does not exist or cannot be listed.
bool look_at_files(const std::vector<std::string>& paths, LiveFiles& found, std::string* why);

}  // namespace ringside::tool
