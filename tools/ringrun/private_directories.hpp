#pragma once
// The directories of one run, which only this user can enter.

#include <optional>
#include <string>

namespace ringside::tool {

struct PrivateDirectories {
  std::string shared_memory;
  std::string traces;
  std::string keep;  // where the trace files go at the end; empty: they are removed
};

// Creates them: that for shared memory below RINGSIDE_SHM_DIR or /dev/shm, or below TMPDIR if that
// has too little room, which is reported; that for traces below `keep` or TMPDIR. Empty with `*why`
// if one cannot be created; then none is left.
std::optional<PrivateDirectories> create_private_directories(const std::string& keep,
                                                             std::string* why);

}  // namespace ringside::tool
