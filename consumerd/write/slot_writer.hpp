#pragma once
// Sends sealed staging slots to their files, and frees each when all its bytes are written; with
// SyncWhen::kAlways, when they are durable.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/write/block_io.hpp"
#include "consumerd/write/file_syncer.hpp"
#include "consumerd/write/staging_file.hpp"

namespace ringside::consumer {

// Slots reserved for clients that have none: a trace that cannot be written must not use up the
// room of those that can.
inline constexpr std::uint32_t kReservedSlots = 4;

// The writer's state for one trace. Must outlive its writes.
class WriteClient {
 public:
  // A write of it has failed or takes too long, and none has succeeded since: its rings should not
  // be drained.
  bool stalled() const { return failing_ > 0; }

 private:
  friend class SlotWriter;
  std::uint32_t slots_ = 0;    // acquired and not yet free
  std::uint32_t failing_ = 0;  // of these
};

// For whom a SlotWriter writes.
struct WriterRole {
  std::uint32_t most_slots = kStagingSlots;  // used at once
  std::uint32_t thread = 0;                  // whose slots of the staging file it uses
  // What a failed write means, for the log.
  const char* consequence = "no records are lost while the rings have space";
  SyncPolicy sync = {};
};

// One thread at a time uses it: its encoder thread during a round, the poll loop between rounds.
class SlotWriter {
 public:
  using Done = std::function<void(std::uint32_t slot)>;

  SlotWriter(StagingFile& staging, BlockIo& io, const Log& log, const WriterRole& role = {});

  // Takes a free slot of the staging file; kNoSlot if none is available to this client now.
  std::uint32_t acquire(WriteClient& client);

  // Writes the slot's committed bytes at its file offset. `done` runs (from poll or wait) when they
  // are in the file, before the slot is freed. Failed writes are retried until they succeed. With
  // SyncWhen::kAlways and a `file`, `done` runs when they are durable there; if a sync fails, they
  // are written again.
  void write(std::uint32_t slot, int fd, Done done, SyncedFile* file = nullptr);

  // Collects finished writes; with `wait`, waits some milliseconds at most for one to finish.
  void poll(bool wait);

  bool idle() const { return under_way_ == 0; }
  // All writes under way are failing ones: waiting for room is useless.
  bool only_failing() const { return under_way_ == failing_; }
  // With SyncWhen::kAlways: syncs a file that is not busy, with everything written to it so far.
  void sync(SyncedFile& file);
  const SyncPolicy& sync_policy() const { return role_.sync; }
  FileSyncer& syncer() { return syncer_; }
  const FileSyncer& syncer() const { return syncer_; }
  // Slots written until now.
  std::uint64_t slots_written() const { return slots_written_; }
  std::uint64_t bytes_written() const { return bytes_written_; }
  // Failed attempts, without those that are repeated at once.
  std::uint64_t failures() const { return failures_; }
  std::uint32_t failing() const { return failing_; }  // slots that are failing now
  // Returns a slot to which nothing was committed.
  void discard(std::uint32_t slot) { release(slot); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    WriteClient* client = nullptr;
    int fd = -1;
    SyncedFile* file = nullptr;  // null: done as soon as it is written
    std::uint32_t bytes = 0;
    std::uint32_t written = 0;
    bool submitted = false;
    bool active = false;
    bool failing = false;       // its last attempt failed or does not finish
    bool again = false;         // a sync has failed during this write: write everything again
    bool is_written = false;    // waits for a sync
    bool is_syncing = false;    // which is under way
    std::uint32_t passing = 0;  // consecutive attempts that ended in a transient error
    Clock::time_point since;    // start of this attempt
    Clock::time_point retry_at;
    Done done;
  };

  void submit(std::uint32_t slot);
  void finish(const WriteCompletion& completion);
  void complete(std::uint32_t slot);
  void synced(const SyncedFile& file, int error);
  void write_again(std::uint32_t slot);
  void fail(std::uint32_t slot, int error);
  void mark_failing(std::uint32_t slot, const std::string& why);
  void mark_sound(std::uint32_t slot);
  void release(std::uint32_t slot);
  Job& job_of(std::uint32_t slot) { return jobs_[slot - first_slot_]; }

  StagingFile& staging_;
  BlockIo& io_;
  const Log& log_;
  const WriterRole role_;
  FileSyncer syncer_;
  const std::uint32_t first_slot_;  // of its thread
  std::vector<Job> jobs_;           // by slot, from that one on
  std::uint32_t under_way_ = 0;
  std::uint32_t failing_ = 0;
  std::uint64_t slots_written_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t failures_ = 0;
  std::string logged_failure_;  // the failure that was last logged; empty while nothing fails
  bool logged_no_memory_ = false;
};

}  // namespace ringside::consumer
