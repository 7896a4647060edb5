#include "consumerd/write/slot_writer.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <thread>
#include <utility>

namespace ringside::consumer {
namespace {

constexpr auto kRetryAfter = std::chrono::milliseconds(100);
// A write that takes longer counts as failing until it ends.
constexpr auto kPatience = std::chrono::seconds(2);
// EINTR or EAGAIN this often in a row counts as a failure.
constexpr std::uint32_t kMostPassing = 100;

}  // namespace

SlotWriter::SlotWriter(StagingFile& staging, BlockIo& io, const Log& log, const WriterRole& role)
    : staging_(staging),
      io_(io),
      log_(log),
      role_(role),
      syncer_(io, role.sync.when, log),
      first_slot_(role.thread * kStagingSlots),
      jobs_(kStagingSlots) {}

std::uint32_t SlotWriter::acquire(WriteClient& client) {
  if (client.slots_ > 0 && staging_.free_slots(role_.thread) <= kReservedSlots) return kNoSlot;
  if (kStagingSlots - staging_.free_slots(role_.thread) >= role_.most_slots) return kNoSlot;
  bool first_use = false;
  const std::uint32_t slot = staging_.acquire(&first_use, role_.thread);
  if (slot != kNoSlot) {
    job_of(slot).client = &client;
    ++client.slots_;
  }
  if (first_use) {
    const std::span<std::byte> data = staging_.data(slot);
    io_.prepare_slot(slot - first_slot_, data.data(), data.size());
  }
  if (slot == kNoSlot && staging_.out_of_memory(role_.thread) && !logged_no_memory_) {
    logged_no_memory_ = true;
    log_.error(
        "no memory for another staging buffer: draining is slower, and stops if none is left; "
        "enlarge the shared-memory file system (in a container: --shm-size)");
  }
  return slot;
}

void SlotWriter::release(std::uint32_t slot) {
  --job_of(slot).client->slots_;
  job_of(slot).client = nullptr;
  staging_.release(slot);
}

void SlotWriter::write(std::uint32_t slot, int fd, Done done, SyncedFile* file) {
  Job& job = job_of(slot);
  assert(!job.active);
  WriteClient* const client = job.client;
  job = {};
  job.client = client;
  job.fd = fd;
  job.file = role_.sync.when == SyncWhen::kAlways ? file : nullptr;
  job.bytes = shm::commit_bytes(staging_.header(slot).commit.load(std::memory_order_relaxed));
  job.active = true;
  job.since = Clock::now();
  job.done = std::move(done);
  ++under_way_;
  submit(slot);
}

void SlotWriter::submit(std::uint32_t slot) {
  Job& job = job_of(slot);
  WriteRequest request;
  request.fd = job.fd;
  request.slot = slot - first_slot_;
  request.data = staging_.data(slot).data() + job.written;
  request.bytes = job.bytes - job.written;
  request.offset = staging_.header(slot).file_offset + job.written;
  job.submitted = io_.submit(request);
}

void SlotWriter::poll(bool wait) {
  syncer_.poll();
  if (under_way_ == 0 && syncer_.is_idle()) {
    // Nothing can finish; a caller that waits for room nevertheless must not spin.
    if (wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return;
  }
  std::array<WriteCompletion, kStagingSlots + kMostSyncs> completions;
  bool any_submitted = !syncer_.is_idle();
  const auto now = Clock::now();
  for (std::uint32_t slot = first_slot_; slot < first_slot_ + kStagingSlots; ++slot) {
    Job& job = job_of(slot);
    if (!job.active) continue;
    if (!job.submitted && !job.is_written && job.retry_at <= now) submit(slot);
    any_submitted = any_submitted || job.submitted;
    if (!job.failing && now - job.since >= kPatience) {
      mark_failing(slot, "the disk does not respond");
    }
  }
  const std::size_t count = io_.reap(completions, wait && any_submitted);
  for (std::size_t i = 0; i < count; ++i) {
    if (completions[i].is_sync) {
      syncer_.finish(completions[i]);
    } else {
      completions[i].slot += first_slot_;
      finish(completions[i]);
    }
  }
  if (wait && count == 0) {
    // Everything under way waits for its next attempt.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void SlotWriter::finish(const WriteCompletion& completion) {
  Job& job = job_of(completion.slot);
  if (!job.active || !job.submitted) return;
  job.submitted = false;
  if (completion.result <= 0) {
    // A write of 0 bytes without an error: the disk accepts nothing; try again later.
    fail(completion.slot, completion.result == 0 ? ENOSPC : -completion.result);
    return;
  }
  // A slot that waits for a sync is sound when that succeeds.
  if (job.file == nullptr) mark_sound(completion.slot);
  job.passing = 0;
  job.since = Clock::now();
  job.written += static_cast<std::uint32_t>(completion.result);
  bytes_written_ += static_cast<std::uint32_t>(completion.result);
  if (job.written < job.bytes) {
    submit(completion.slot);
    return;
  }
  if (job.file == nullptr) return complete(completion.slot);
  if (job.again) return write_again(completion.slot);
  job.is_written = true;
  job.file->note_written();
  if (!job.file->is_busy()) sync(*job.file);
}

void SlotWriter::complete(std::uint32_t slot) {
  Job& job = job_of(slot);
  job.active = false;
  --under_way_;
  ++slots_written_;
  const Done done = std::move(job.done);
  if (done) done(slot);
  // Not earlier: until this store a successor would write the slot again, at the same place.
  staging_.header(slot).commit.store(0, std::memory_order_release);
  release(slot);
}

// One sync at a time, for all slots of the file that were written before it began: the kernel
// reports a failure to one sync of a descriptor only.
void SlotWriter::sync(SyncedFile& file) {
  for (Job& job : jobs_) {
    if (job.active && job.file == &file) job.is_syncing = job.is_written;
  }
  syncer_.start(file, [this, &file](int error) { synced(file, error); });
}

void SlotWriter::synced(const SyncedFile& file, int error) {
  SyncedFile* next = nullptr;
  for (std::uint32_t slot = first_slot_; slot < first_slot_ + kStagingSlots; ++slot) {
    Job& job = job_of(slot);
    if (!job.active || job.file != &file) continue;
    if (error != 0) {
      // After a failed sync the kernel does not write the same pages again. This may concern
      // everything that was written meanwhile, too.
      if (!job.failing) mark_failing(slot, "sync failed: " + error_text(error));
      if (job.is_written) {
        write_again(slot);
      } else {
        job.again = job.submitted || job.written > 0;
      }
    } else if (job.is_syncing) {
      mark_sound(slot);
      complete(slot);
    } else if (job.is_written) {
      next = job.file;
    }
  }
  if (next != nullptr && !next->is_busy()) sync(*next);
}

void SlotWriter::write_again(std::uint32_t slot) {
  Job& job = job_of(slot);
  bytes_written_ -= job.written;
  job.written = 0;
  job.again = false;
  job.is_written = false;
  job.is_syncing = false;
  job.retry_at = Clock::now() + kRetryAfter;
}

void SlotWriter::fail(std::uint32_t slot, int error) {
  Job& job = job_of(slot);
  const bool passing = (error == EINTR || error == EAGAIN) && ++job.passing < kMostPassing;
  job.retry_at = Clock::now();
  if (passing) return;
  ++failures_;
  job.retry_at += kRetryAfter;
  if (!job.failing) mark_failing(slot, error_text(error));
}

// Counted by slot: if one file fails and others do not, neither the state nor the log must flicker.
// A full disk fails all files alike, and is logged once.
void SlotWriter::mark_failing(std::uint32_t slot, const std::string& why) {
  Job& job = job_of(slot);
  job.failing = true;
  const bool first_of_client = job.client->failing_++ == 0;
  ++failing_;
  const std::string file = staging_.header(slot).file_path;
  const std::string text = "cannot write " + file + ": " + why + "; retrying; " + role_.consequence;
  if (std::exchange(logged_failure_, why) != why) {
    log_.error(text, {{"file", file}});
  } else if (first_of_client) {
    log_.detail(text, {{"file", file}});
  }
}

void SlotWriter::mark_sound(std::uint32_t slot) {
  Job& job = job_of(slot);
  if (!job.failing) return;
  job.failing = false;
  --job.client->failing_;
  if (--failing_ == 0) {
    logged_failure_.clear();
    log_.notice("writing again");
  } else if (job.client->failing_ == 0) {
    log_.detail("writing " + std::string(staging_.header(slot).file_path) + " again");
  }
}

}  // namespace ringside::consumer
