#pragma once
// The slot writers of all encoder threads: each thread has its slots of the staging file, its
// SlotWriter and its way to the disk.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/block_io.hpp"
#include "consumerd/write/slot_writer.hpp"
#include "consumerd/write/staging_file.hpp"

namespace ringside::consumer {

// The functions without a thread concern all writers: only between two rounds.
class SlotWriters {
 public:
  // `io`: used by the first thread instead of the backend that open_io() selects; may be null.
  explicit SlotWriters(std::unique_ptr<BlockIo> io);

  // Opens the ways to the disk. False with `*why`; also sets `*why` if `auto` falls back.
  bool open_io(IoChoice choice, std::uint32_t threads, std::string* why);
  // Then the writers. All arguments must outlive this.
  void open(StagingFile& staging, const Log& log, const SyncPolicy& sync);

  std::uint32_t threads() const { return static_cast<std::uint32_t>(writers_.size()); }
  SlotWriter& of(std::uint32_t thread) { return *writers_[thread]; }
  const char* io_name() const { return ios_.front()->name(); }

  // Collects finished writes; with `wait`, waits some milliseconds at most for one to finish.
  void poll(bool wait);
  bool idle() const;
  // All writes under way are failing ones: waiting for room is useless.
  bool only_failing() const;

  // Sums.
  std::uint64_t slots_written() const;
  std::uint64_t bytes_written() const;
  std::uint64_t failures() const;
  std::uint32_t failing() const;
  void count_syncs(std::uint64_t* syncs, std::uint64_t* failures) const;

 private:
  std::vector<std::unique_ptr<BlockIo>> ios_;
  std::vector<std::unique_ptr<SlotWriter>> writers_;
};

}  // namespace ringside::consumer
