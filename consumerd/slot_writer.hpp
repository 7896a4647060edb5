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

class SlotWriter {
 public:
  using Done = std::function<void(std::uint32_t slot)>;

  SlotWriter(StagingFile& staging, BlockIo& io, const Log& log);

  // Takes a free slot from the staging file; kNoSlot if every one is filled or being written.
  std::uint32_t acquire();

  // Writes the slot's committed bytes at its file offset. `done` runs (from poll or wait) when
  // they are in the file, before the slot is freed. Errors are retried until they go away.
  void write(std::uint32_t slot, int fd, Done done);

  // Collects what is finished; with `wait`, waits until something moves.
  void poll(bool wait);

  bool idle() const { return under_way_ == 0; }
  // A write has failed and not yet succeeded again: nothing should be taken from the rings.
  bool stalled() const { return failing_ > 0; }
  // Since when; only while stalled().
  std::chrono::steady_clock::time_point stalled_since() const { return stalled_since_; }
  // Gives back a slot that nothing was committed to.
  void discard(std::uint32_t slot) { staging_.release(slot); }

 private:
  struct Job {
    int fd = -1;
    std::uint32_t bytes = 0;
    std::uint32_t written = 0;
    bool submitted = false;
    bool active = false;
    bool failing = false;  // its last try failed
    std::chrono::steady_clock::time_point retry_at;
    Done done;
  };

  void submit(std::uint32_t slot);
  void finish(const WriteCompletion& completion);
  void fail(std::uint32_t slot, int error);

  StagingFile& staging_;
  BlockIo& io_;
  const Log& log_;
  std::vector<Job> jobs_;  // by slot
  std::uint32_t under_way_ = 0;
  std::uint32_t failing_ = 0;
  std::chrono::steady_clock::time_point stalled_since_;
  bool told_no_memory_ = false;
};

}  // namespace ringside::consumer
