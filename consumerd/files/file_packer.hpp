#pragma once
// Packs one closed trace file (trace-format/README.md, "Packed files").

#include <atomic>
#include <functional>
#include <string>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

// Opens `path`, a file that is no longer written, for writing, and locks it for as long as others
// must not use it. Empty if the file is locked, missing, or not a regular file of this user.
UniqueFd claim_trace_file(const std::string& path);

enum class PackResult { kDone, kStopped, kFailed };

// Replaces `path` by `path`.zst: written under another name, synced, renamed, and only then is the
// unpacked file removed, so a whole file exists at any time. Keeps the time of last change.
// `claimed`: from claim_trace_file(). Stops soon after `stop` is set. kFailed sets `why`.
PackResult pack_trace_file(const std::string& path, const UniqueFd& claimed,
                           const std::atomic<bool>& stop, std::string* why);

// Removes unfinished files of packers that died, for the services that `serves` accepts: readers
// ignore such files, and no packer continues them. The file of a running packer is left alone.
void remove_broken_off_packing(const std::string& output_dir,
                               const std::function<bool(const std::string&)>& serves);

}  // namespace ringside::consumer
