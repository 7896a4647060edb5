#include "consumerd/poll/staging_keeper.hpp"

#include <utility>

namespace ringside::consumer {
namespace {

constexpr auto kMemoryInterval = std::chrono::seconds(5);

}  // namespace

bool StagingKeeper::open(const std::string& real_shm_dir, std::string* why) {
  real_shm_dir_ = real_shm_dir;
  file_ = create(why);
  return file_ != nullptr;
}

// In shared memory, or in the output directory if shared memory is full: only consumerd can free
// the memory of services that have ended. Null with `*why`; also sets `*why` if the file is not in
// shared memory.
std::unique_ptr<StagingFile> StagingKeeper::create(std::string* why) {
  std::unique_ptr<StagingFile> staging =
      StagingFile::create(options_.shm_dir, why, encoder_threads(options_));
  if (staging != nullptr) return staging;
  std::string why_not_there;
  staging = StagingFile::create_elsewhere(real_shm_dir_, options_.output_dir, &why_not_there,
                                          encoder_threads(options_));
  *why += staging == nullptr ? "; and in the output directory: " + why_not_there
                             : "; staging in " + options_.output_dir + " until this succeeds";
  return staging;
}

// A successor would not find the staging file. Until there is another one, draining continues:
// written data is as safe as before.
bool StagingKeeper::replace_removed() {
  std::string why;
  fresh_ = create(&why);
  if (fresh_ == nullptr) {
    if (!std::exchange(logged_failure_, true)) {
      log_.error("the staging file was removed and cannot be replaced: " + why +
                 "; data not yet written may be lost if this process dies");
    }
    return false;
  }
  logged_failure_ = false;
  change_ =
      "the staging file was removed; using a new one" + (why.empty() ? std::string() : ": " + why);
  return true;
}

// Returns from the output directory as soon as shared memory has room for at least one slot.
bool StagingKeeper::return_to_memory(Clock::time_point now) {
  if (!file_->is_elsewhere() || fresh_ != nullptr || now - last_try_ < kMemoryInterval) {
    return false;
  }
  last_try_ = now;
  std::string why;
  std::unique_ptr<StagingFile> staging =
      StagingFile::create(options_.shm_dir, &why, encoder_threads(options_));
  if (staging == nullptr || !staging->reserve_one()) return false;
  fresh_ = std::move(staging);
  change_ = "staging in " + options_.shm_dir + " again";
  return true;
}

// Shared memory had room for the front of the staging file, but has none for a single slot.
void StagingKeeper::leave_full_memory() {
  if (file_->is_elsewhere() || fresh_ != nullptr || !file_->has_no_memory()) return;
  const auto now = Clock::now();
  if (now - last_try_ < kMemoryInterval && logged_failure_) return;
  last_try_ = now;
  std::string why;
  fresh_ = StagingFile::create_elsewhere(real_shm_dir_, options_.output_dir, &why,
                                         encoder_threads(options_));
  if (fresh_ == nullptr) {
    if (!std::exchange(logged_failure_, true))
      log_.error("cannot create a staging file in another directory either: " + why);
    return;
  }
  logged_failure_ = false;
  change_ = options_.shm_dir + " is full; staging in " + options_.output_dir +
            " until it has space; enlarge it (in a container: --shm-size)";
}

// Changes to the fresh file once nothing is under way through the present one.
bool StagingKeeper::change_if_empty(const SlotWriters& writers) {
  if (fresh_ == nullptr || !writers.idle() || file_->slots_used() != 0) return false;
  file_->change_to(*fresh_);
  fresh_.reset();
  log_.error(change_);
  return true;
}

}  // namespace ringside::consumer
