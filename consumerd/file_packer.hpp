#pragma once
// Packs one closed trace file (trace-format/README.md, "Packed files").

#include <atomic>
#include <functional>
#include <string>

#include "consumerd/unique_fd.hpp"

namespace ringside::consumer {

// Of `path`, a file that nobody writes to, open for writing and locked by its maker as long as
// nobody else may have it. Empty if it is locked, gone, or no regular file of ours.
UniqueFd claim_trace_file(const std::string& path);

enum class PackResult { kDone, kStopped, kFailed };

// `path`.zst takes the place of `path`: written under another name, synced, renamed, and only then
// is the unpacked one removed, so there is a whole file at any time. It keeps the time of its last
// change. `claimed`: by claim_trace_file(). Gives up soon after `stop` is set. kFailed with `why`.
PackResult pack_trace_file(const std::string& path, const UniqueFd& claimed,
                           const std::atomic<bool>& stop, std::string* why);

// What packers have begun of the services that `serves` takes, and died at: no reader looks at it,
// and nobody goes on with it. What one is at is left alone.
void remove_broken_off_packing(const std::string& output_dir,
                               const std::function<bool(const std::string&)>& serves);

}  // namespace ringside::consumer
