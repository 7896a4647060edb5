#pragma once
// Finishes what a consumerd that died had begun: its staging file says what it had taken out of
// the rings but perhaps not brought to the disk.

#include <string>
#include <vector>

#include "consumerd/log.hpp"

namespace ringside::consumer {

enum class RecoveryResult {
  kNothing,  // no such file
  kDone,     // every committed slot is written, every position set, the file removed
  kInUse,    // its consumerd lives
  kFailed,   // said in the log; the file stays, to be tried again
};

// Of the staging file `name` in `shm_dir`. Doing it again after dying in the middle of it is
// harmless: the same bytes go to the same places.
RecoveryResult recover_staging(const std::string& shm_dir, const std::string& name, const Log& log);

// Of every staging file in `shm_dir` whose consumerd is gone. False if one failed.
bool recover_all_staging(const std::string& shm_dir, const Log& log);

// The directories that the staging files of this user's consumerds, dead or alive, name: where a
// recovery will write to. Those that are there.
std::vector<std::string> staged_directories(const std::string& shm_dir);

// Whether it is the staging file of a consumerd of this user that lives.
bool is_staging_in_use(const std::string& shm_dir, const std::string& name);

}  // namespace ringside::consumer
