#pragma once
// The trace files of an output directory that are no longer written.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "consumerd/files/trace_name.hpp"

namespace ringside::consumer {

struct ClosedFile {
  TraceName name;               // unpacked
  bool plain = false;           // NAME.ringtrace exists
  bool packed = false;          // NAME.ringtrace.zst exists; both exist for a moment during packing
  bool emptied = false;         // its records were removed before they were shipped
  std::uint64_t bytes = 0;      // of the existing files
  std::int64_t changed_ns = 0;  // time of the last change
};

// The closed files of each service that `serves` accepts, oldest first: by time of last change,
// then by name. A file is closed if no process holds its lock, it is a trace, and
// - it is packed, or
// - it ends with the END of a service or of an emptied file, or of a rotation when a newer file of
// its segment exists, or
// - a newer one exists and its segment is one of `own_stems`, or all of the segment is over, or
// - it was written in another boot of this machine.
// All other files may still be appended to by a consumer that takes the segment over.
std::map<std::string, std::vector<ClosedFile>> closed_files(
    const std::string& output_dir, const std::set<std::string>& own_stems,
    const std::function<bool(const std::string&)>& serves);

}  // namespace ringside::consumer
