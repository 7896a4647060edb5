#pragma once
// Files with the code or the debug information of a build id.

#include <string>
#include <string_view>
#include <vector>

namespace ringside::tool {

// Hexadecimal digits, an even number of them: nothing else becomes part of a path.
bool is_build_id(std::string_view text);

// Where the executable file of a build id may be, best place first: the recorded path, then
// debuginfod's cache ($DEBUGINFOD_CACHE_PATH, or debuginfod_client in $XDG_CACHE_HOME or ~/.cache).
std::vector<std::string> code_paths(const std::string& recorded_path, std::string_view build_id);
// The same for its debug information: /usr/lib/debug/.build-id, then debuginfod's cache. Nothing is
// fetched from a server.
std::vector<std::string> debug_paths(std::string_view build_id);

// A descriptor of the first of these files that is a regular one, and an ELF file with this build
// id; the caller closes it. -1 if there is none. `*found`: its path.
int open_identified(const std::vector<std::string>& paths, std::string_view build_id,
                    std::string* found);

}  // namespace ringside::tool
