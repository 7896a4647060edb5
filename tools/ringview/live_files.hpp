#pragma once
// The trace files that a live report is of.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ringview/live_board.hpp"

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
  bool operator==(const LiveFiles&) const = default;
};

// False with `*why` if a path does not exist or cannot be listed.
bool look_at_files(const std::vector<std::string>& paths, LiveFiles& found, std::string* why);

}  // namespace ringside::tool
