#pragma once
// Finishes the work of a consumerd that died: its staging file holds what it had taken out of the
// rings but possibly not written to the disk.

#include <string>
#include <vector>

#include "consumerd/log/log.hpp"

namespace ringside::consumer {

enum class RecoveryResult {
  kNothing,  // no such file
  kDone,     // every committed slot is written, every position set, and the file removed
  kInUse,    // its consumerd is alive
  kFailed,   // logged; the file stays, to be tried again
};

// Recovers the staging file `name` of segments in `shm_dir`, wherever the file is. Repeating it
// after a crash in the middle is harmless: the same bytes go to the same places.
// With `durable`, what is written is synced before positions move.
RecoveryResult recover_staging(const std::string& shm_dir, const std::string& name, const Log& log,
                               bool durable = false);

// Recovers every staging file in `shm_dir` whose consumerd is gone. False if any failed; `failed`:
// their names.
bool recover_all_staging(const std::string& shm_dir, const Log& log,
                         std::vector<std::string>* failed = nullptr, bool durable = false);

// Recovers those in `output_dir` for segments in `shm_dir` that have no marker: the markers
// vanished with the shared memory of an earlier boot, or were never created. Both directories are
// absolute and without links, as passed to StagingFile::create_elsewhere().
void recover_unmarked_staging(const std::string& shm_dir, const std::string& output_dir,
                              const Log& log, bool durable = false);

// The existing directories that the staging files of this user's consumerds, dead or alive, name: a
// recovery writes there.
std::vector<std::string> staged_directories(const std::string& shm_dir);

// Whether it is the staging file of a live consumerd of this user.
bool is_staging_in_use(const std::string& shm_dir, const std::string& name);

}  // namespace ringside::consumer
