#pragma once
// Which trace files of an output directory nobody writes to any more.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "consumerd/trace_name.hpp"

namespace ringside::consumer {

struct ClosedFile {
  TraceName name;               // unpacked
  bool plain = false;           // there is NAME.ringtrace
  bool packed = false;          // there is NAME.ringtrace.zst; both for a moment while it is packed
  std::uint64_t bytes = 0;      // of what there is
  std::int64_t changed_ns = 0;  // last change
};

// The closed files of each service that `serves` takes, oldest first: by their last change, then by
// name. A file is closed if nobody holds its lock, and
// - it is packed, or
// - it ends with the END of a service, or of a rotation when a newer file of its segment exists, or
// - a newer one exists and its segment is one of `own_stems`, or is over as a whole, or
// - it is of another boot of this machine.
// Everything else may still be appended to, by whoever takes the segment over.
std::map<std::string, std::vector<ClosedFile>> closed_files(
    const std::string& output_dir, const std::set<std::string>& own_stems,
    const std::function<bool(const std::string&)>& serves);

}  // namespace ringside::consumer
