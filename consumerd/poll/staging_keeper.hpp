#pragma once
// The staging file of this process, and its replacement when it cannot stay: it was removed, shared
// memory is full, or shared memory has room again.

#include <chrono>
#include <memory>
#include <string>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/slot_writers.hpp"
#include "consumerd/write/staging_file.hpp"

namespace ringside::consumer {

class StagingKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  // The directories of the options do not change. Both must outlive this.
  StagingKeeper(const Options& options, const Log& log) : options_(options), log_(log) {}

  // `real_shm_dir`: --shm-dir without links. False with `*why` if there is no staging file; also
  // sets `*why` if it is not in shared memory.
  bool open(const std::string& real_shm_dir, std::string* why);
  StagingFile& file() { return *file_; }
  const StagingFile& file() const { return *file_; }

  // Whether another file takes over as soon as the present one is empty: no new data may enter it.
  bool is_changing() const { return fresh_ != nullptr; }
  // These prepare a change. They return true if sessions must seal their slots for it.
  bool replace_removed();
  bool return_to_memory(Clock::time_point now);
  void leave_full_memory();
  // Changes to the other file once nothing is under way through the present one. Returns true if
  // sessions must name it.
  bool change_if_empty(const SlotWriters& writers);

 private:
  std::unique_ptr<StagingFile> create(std::string* why);

  const Options& options_;
  const Log& log_;
  std::string real_shm_dir_;
  std::unique_ptr<StagingFile> file_;
  std::unique_ptr<StagingFile> fresh_;  // takes over when the present file is empty
  std::string change_;                  // logged when the other file has taken over
  bool logged_failure_ = false;         // that no other file can be created
  Clock::time_point last_try_{};
};

}  // namespace ringside::consumer
