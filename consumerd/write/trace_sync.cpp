#include "consumerd/write/trace_sync.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/files/file_numbers.hpp"
#include "consumerd/files/trace_name.hpp"

namespace ringside::consumer {

void TraceSync::note_written() {
  if (policy().when == SyncWhen::kInterval) oldest_ = std::min(oldest_, Clock::now());
}

bool TraceSync::is_due(std::uint64_t written) const {
  if (is_wanted_ && written >= wanted_) return true;
  if (oldest_ == Clock::time_point::max()) return false;
  return hurries_ || Clock::now() - oldest_ >= policy().interval;
}

void TraceSync::tend(std::uint64_t written, const OpenFiles& open) {
  // Twice: the next pass may be due when one ends.
  for (int i = 0; i < 2; ++i) {
    if (!in_pass_) {
      if (!is_due(written)) return;
      begin(written, open);
    }
    if (under_way_ > 0 || waits_for_slots(open) || sync_next_closed()) return;
    end();
  }
}

void TraceSync::begin(std::uint64_t written, const OpenFiles& open) {
  if (mark_ != nullptr) mark_->store(1, std::memory_order_release);
  in_pass_ = true;
  has_failed_ = false;
  target_ = written;
  is_for_want_ = is_wanted_ && written >= wanted_;
  closed_until_ = is_for_want_ ? std::max(open.first, closed_from_) : closed_from_;
  find_closed();
  oldest_ = Clock::time_point::max();
  // The open files first: a rotation may close them during the pass.
  if (policy().when == SyncWhen::kAlways) return;
  for (SyncedFile* const file : open.files) {
    if (file->has_unsynced()) start(*file);
  }
}

void TraceSync::start(SyncedFile& file) {
  ++under_way_;
  writer_.syncer().start(file, [this](int error) {
    --under_way_;
    has_failed_ = has_failed_ || error != 0;
    // So that the sync is tried again.
    if (error != 0) note_written();
  });
}

// With SyncWhen::kAlways each slot is durable when it counts as written. What an earlier consumer
// wrote to the same file is so too after the first sync.
bool TraceSync::waits_for_slots(const OpenFiles& open) {
  if (policy().when != SyncWhen::kAlways) return false;
  bool waits = false;
  for (SyncedFile* const file : open.files) {
    if (file->take_first_failure()) has_failed_ = true;
    if (file->was_synced()) continue;
    if (!file->is_busy() && !has_failed_) writer_.sync(*file);
    waits = waits || file->is_busy();
  }
  return waits;
}

// The names that exist, not each number: the first one to write comes from the segment, and a
// damaged segment says hundreds of millions.
void TraceSync::find_closed() {
  closed_.clear();
  if (closed_from_ == closed_until_) return;
  auto numbers = file_numbers(output_dir_, stem_, closed_from_);
  if (!numbers) {
    writer_.syncer().refused(output_dir_, errno);
    has_failed_ = true;
    return;
  }
  closed_ = std::move(*numbers);
  std::erase_if(closed_, [&](std::uint32_t number) { return number >= closed_until_; });
  std::reverse(closed_.begin(), closed_.end());
}

// False if there is none left. A file that is not there was removed, or packed: then it is durable.
bool TraceSync::sync_next_closed() {
  closed_file_.reset();
  while (!closed_.empty()) {
    const std::string path = output_dir_ + "/" + TraceName{stem_, closed_.back(), false}.text();
    closed_.pop_back();
    closed_fd_ = open_without_links(path, O_RDONLY);
    if (closed_fd_) {
      closed_file_ = std::make_unique<SyncedFile>(closed_fd_.get(), path, true);
      start(*closed_file_);
      return true;
    }
    if (errno == ENOENT) continue;
    writer_.syncer().refused(path, errno);
    has_failed_ = true;
  }
  closed_fd_ = UniqueFd();
  return false;
}

void TraceSync::end() {
  in_pass_ = false;
  settled_ = target_;
  // Another want() may have come meanwhile.
  if (is_for_want_ && target_ >= wanted_) is_wanted_ = false;
  if (has_failed_) {
    ++failures_;
  } else {
    closed_from_ = std::max(closed_from_, closed_until_);
  }
}

}  // namespace ringside::consumer
