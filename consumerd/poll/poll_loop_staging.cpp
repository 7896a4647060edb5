// How PollLoop gets its staging file, and replaces it when it cannot stay.
#include <utility>

#include "consumerd/poll/poll_loop.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kMemoryInterval = std::chrono::seconds(5);

}  // namespace

// In shared memory, or in the output directory if shared memory is full: only consumerd can free
// the memory of services that have ended. Null with `*why`; also sets `*why` if the file is not in
// shared memory.
std::unique_ptr<StagingFile> PollLoop::make_staging(std::string* why) {
  std::unique_ptr<StagingFile> staging = StagingFile::create(options_.shm_dir, why);
  if (staging != nullptr) return staging;
  std::string why_not_there;
  staging = StagingFile::create_elsewhere(real_shm_dir_, options_.output_dir, &why_not_there);
  *why += staging == nullptr ? "; nor elsewhere: " + why_not_there
                             : "; staging in " + options_.output_dir + " until there is";
  return staging;
}

// A successor would not find the staging file. Until there is another one, draining continues:
// written data is as safe as before.
void PollLoop::renew_staging() {
  std::string why;
  fresh_staging_ = make_staging(&why);
  if (fresh_staging_ == nullptr) {
    if (!std::exchange(logged_staging_, true)) {
      log_.error("the staging file was removed, and there is no other: " + why +
                 "; until then the end of this process may cost what is on its way to the disk");
    }
    return;
  }
  logged_staging_ = false;
  staging_change_ = "the staging file was removed; going on with a new one" +
                    (why.empty() ? std::string() : ": " + why);
  for (const auto& session : sessions_) session->seal();
}

// Returns from the output directory as soon as shared memory has room for at least one slot.
void PollLoop::keep_staging_in_memory(Clock::time_point now) {
  if (!staging_->is_elsewhere() || fresh_staging_ != nullptr || directory_gone_ ||
      now - last_staging_try_ < kMemoryInterval) {
    return;
  }
  last_staging_try_ = now;
  std::string why;
  std::unique_ptr<StagingFile> staging = StagingFile::create(options_.shm_dir, &why);
  if (staging == nullptr || !staging->reserve_one()) return;
  fresh_staging_ = std::move(staging);
  staging_change_ = "staging in " + options_.shm_dir + " again";
  for (const auto& session : sessions_) session->seal();
}

// Shared memory had room for the front of the staging file, but has none for a single slot.
void PollLoop::leave_full_memory() {
  if (staging_->is_elsewhere() || fresh_staging_ != nullptr || !staging_->has_no_memory()) return;
  const auto now = Clock::now();
  if (now - last_staging_try_ < kMemoryInterval && logged_staging_) return;
  last_staging_try_ = now;
  std::string why;
  fresh_staging_ = StagingFile::create_elsewhere(real_shm_dir_, options_.output_dir, &why);
  if (fresh_staging_ == nullptr) {
    if (!std::exchange(logged_staging_, true))
      log_.error("nor is there a staging file elsewhere: " + why);
    return;
  }
  logged_staging_ = false;
  staging_change_ = options_.shm_dir + " is full; staging in " + options_.output_dir +
                    " until there is room; enlarge it (in a container: --shm-size)";
}

// Changes to the fresh file once nothing is under way through the present one.
void PollLoop::change_staging() {
  if (fresh_staging_ == nullptr || !writer_->idle() || staging_->free_slots() < kStagingSlots)
    return;
  staging_->change_to(*fresh_staging_);
  fresh_staging_.reset();
  for (const auto& session : sessions_) session->name_staging(*staging_);
  log_.error(staging_change_);
}

}  // namespace ringside::consumer
