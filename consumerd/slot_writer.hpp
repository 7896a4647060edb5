#pragma once
// Sends sealed staging slots to their files and frees them when all their bytes are there.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "consumerd/block_io.hpp"
#include "consumerd/log.hpp"
#include "consumerd/staging_file.hpp"

namespace ringside::consumer {

// Slots that nobody gets who has one already: a trace that cannot be written must not take the
// room of those that can.
inline constexpr std::uint32_t kReservedSlots = 4;

// What the writer knows of one trace. Must outlive its writes.
class WriteClient {
 public:
  // A write of it has failed, or is under way for too long, and none has succeeded since: nothing
  // should be taken from its rings.
  bool stalled() const { return failing_ > 0; }

 private:
  friend class SlotWriter;
  std::uint32_t slots_ = 0;    // acquired and not free again
  std::uint32_t failing_ = 0;  // of these
};

class SlotWriter {
 public:
  using Done = std::function<void(std::uint32_t slot)>;

  SlotWriter(StagingFile& staging, BlockIo& io, const Log& log);

  // Takes a free slot from the staging file; kNoSlot if there is none for this client now.
  std::uint32_t acquire(WriteClient& client);

  // Writes the slot's committed bytes at its file offset. `done` runs (from poll or wait) when
  // they are in the file, before the slot is freed. Errors are retried until they go away.
  void write(std::uint32_t slot, int fd, Done done);

  // Collects what is finished; with `wait`, waits for something to move, some milliseconds at most.
  void poll(bool wait);

  bool idle() const { return under_way_ == 0; }
  // Nothing is under way but what fails: to wait for more room is in vain.
  bool only_failing() const { return under_way_ == failing_; }
  // Slots that were written so far.
  std::uint64_t slots_written() const { return slots_written_; }
  std::uint64_t bytes_written() const { return bytes_written_; }
  // Tries that failed, not counting those that are repeated at once.
  std::uint64_t failures() const { return failures_; }
  std::uint32_t failing() const { return failing_; }  // slots, at this moment
  // Gives back a slot that nothing was committed to.
  void discard(std::uint32_t slot) { release(slot); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    WriteClient* client = nullptr;
    int fd = -1;
    std::uint32_t bytes = 0;
    std::uint32_t written = 0;
    bool submitted = false;
    bool active = false;
    bool failing = false;       // its last try failed, or does not end
    std::uint32_t passing = 0;  // tries that ended in an error that passes, one after the other
    Clock::time_point since;    // of this try
    Clock::time_point retry_at;
    Done done;
  };

  void submit(std::uint32_t slot);
  void finish(const WriteCompletion& completion);
  void fail(std::uint32_t slot, int error);
  void mark_failing(std::uint32_t slot, const std::string& why);
  void mark_sound(std::uint32_t slot);
  void release(std::uint32_t slot);

  StagingFile& staging_;
  BlockIo& io_;
  const Log& log_;
  std::vector<Job> jobs_;  // by slot
  std::uint32_t under_way_ = 0;
  std::uint32_t failing_ = 0;
  std::uint64_t slots_written_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t failures_ = 0;
  std::string told_;  // why something fails, as it was said last; empty while nothing does
  bool told_no_memory_ = false;
};

}  // namespace ringside::consumer
