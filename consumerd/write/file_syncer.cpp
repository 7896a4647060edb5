#include "consumerd/write/file_syncer.hpp"

#include <cassert>
#include <cerrno>
#include <utility>

#include "consumerd/descriptors/directory_sync.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kSyncPatience = std::chrono::seconds(2);
// EINTR or EAGAIN this often in a row counts as a failure.
constexpr std::uint32_t kMostPassingSyncs = 100;

}  // namespace

void FileSyncer::start(SyncedFile& file, Done done) {
  assert(!file.is_busy_);
  file.is_busy_ = true;
  // Not at its end: what is written meanwhile is not covered.
  file.has_unsynced_ = false;
  if (under_way_ == jobs_.size()) {
    waiting_.emplace_back(&file, std::move(done));
  } else {
    assign(file, std::move(done));
  }
}

void FileSyncer::assign(SyncedFile& file, Done done) {
  std::uint32_t number = 0;
  while (jobs_[number].file != nullptr) ++number;
  Job& job = jobs_[number];
  job = {};
  job.file = &file;
  job.done = std::move(done);
  job.since = Clock::now();
  ++under_way_;
  submit(number);
}

void FileSyncer::submit(std::uint32_t number) {
  Job& job = jobs_[number];
  WriteRequest request;
  request.operation = job.directory ? DiskOperation::kSync : DiskOperation::kSyncData;
  request.fd = job.directory ? job.directory.get() : job.file->fd_;
  request.slot = number;
  job.submitted = io_.submit(request);
}

void FileSyncer::poll() {
  if (is_idle()) return;
  const auto now = Clock::now();
  for (std::uint32_t number = 0; number < jobs_.size(); ++number) {
    Job& job = jobs_[number];
    if (job.file == nullptr) continue;
    if (!job.submitted) submit(number);
    if (job.late || now - job.since < kSyncPatience) continue;
    job.late = true;
    ++late_;
    log_failure(job.file->path_, "the disk does not respond");
  }
}

void FileSyncer::finish(const WriteCompletion& completion) {
  if (completion.slot >= jobs_.size()) return;
  const std::uint32_t number = completion.slot;
  Job& job = jobs_[number];
  if (job.file == nullptr || !job.submitted) return;
  job.submitted = false;
  const int error = completion.result < 0 ? -completion.result : 0;
  if ((error == EINTR || error == EAGAIN) && ++job.passing < kMostPassingSyncs) return;
  if (error != 0) return end(number, error);
  job.passing = 0;
  if (job.directory) {
    job.file->has_durable_name_ = true;
    return end(number, 0);
  }
  ++syncs_;
  if (job.file->has_durable_name_) return end(number, 0);
  job.directory = open_directory_of(job.file->path_);
  if (!job.directory) return end(number, errno);
  submit(number);
}

void FileSyncer::end(std::uint32_t number, int error) {
  Job& job = jobs_[number];
  SyncedFile& file = *job.file;
  const Done done = std::move(job.done);
  if (job.late) --late_;
  job = {};
  --under_way_;
  file.is_busy_ = false;
  file.was_synced_ = file.was_synced_ || error == 0;
  if (error != 0) {
    ++failures_;
    file.has_unsynced_ = true;
    file.has_first_failure_ = file.has_first_failure_ || !file.was_synced_;
    log_failure(file.path_, error_text(error));
  } else if (late_ == 0 && !logged_failure_.empty()) {
    logged_failure_.clear();
    log_.notice("syncing again");
  }
  if (!waiting_.empty()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    assign(*next.first, std::move(next.second));
  }
  done(error);
}

void FileSyncer::refused(const std::string& path, int error) {
  ++failures_;
  log_failure(path, error_text(error));
}

void FileSyncer::log_failure(const std::string& path, const std::string& why) {
  const std::string text =
      "cannot sync " + path + ": " + why +
      (when_ == SyncWhen::kAlways
           ? "; retrying"
           : "; what was written since its last sync may be lost if the machine crashes");
  if (std::exchange(logged_failure_, why) != why) {
    log_.error(text, {{"file", path}});
  } else {
    log_.detail(text, {{"file", path}});
  }
}

}  // namespace ringside::consumer
