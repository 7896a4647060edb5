#pragma once
// Where a staging file is: beside the segments, or in another directory if shared memory has no
// room for it. In the second case an empty file beside the segments, the marker, contains that
// directory in its name: it takes no memory, and a successor with another --output finds the
// staging file too.
//
//   ringside-staging.<32 hex digits>@%2Fvar%2Ftraces      '/' and '%' are escaped

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace ringside::consumer {

struct StagingPlace {
  std::string directory;
  std::string marker;  // name in the shared-memory directory; empty: there is no marker
};

// The marker of staging file `name` in `directory`, which is absolute.
std::string staging_marker(const std::string& name, const std::string& directory);

// The parts of a marker's name; only `name`, if it is the name of a staging file.
struct StagingEntry {
  std::string name;
  std::optional<std::string> directory;
};
StagingEntry parse_staging_entry(std::string_view entry);

// Names in `directory` that begin like those of staging files.
std::vector<std::string> staging_entries(const std::string& directory);

// Where the staging file `name` of segments in `shm_dir` is. Only a marker of this user is
// accepted.
StagingPlace find_staging(const std::string& shm_dir, const std::string& name);

// Whether only this user can have created and changed a file: a regular one.
bool is_own_file(const struct stat& info);
bool is_own_marker(const std::string& shm_dir, const std::string& marker);

}  // namespace ringside::consumer
