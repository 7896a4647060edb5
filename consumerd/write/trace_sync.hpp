#pragma once
// Up to which slot the files of one trace are durable, and when they are synced next.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/write/slot_writer.hpp"

namespace ringside::consumer {

// Files are synced together, in passes: those that are open and have something unsynced, and, for
// want(), those that are closed. A pass settles the slots that were written before it began. Slots
// are counted as in TraceFile.
class TraceSync {
 public:
  using Clock = std::chrono::steady_clock;
  // The files with a descriptor. Files with lower numbers than `first` are closed.
  struct OpenFiles {
    std::span<SyncedFile* const> files;
    std::uint32_t first = 0;
  };

  // `stem` (trace_name.hpp) is that of the trace's files. `closed_from`: the files from this
  // sequence number on may not be durable; an earlier consumer may have written them.
  TraceSync(SlotWriter& writer, std::string output_dir, std::string stem, std::uint32_t closed_from)
      : writer_(writer),
        output_dir_(std::move(output_dir)),
        stem_(std::move(stem)),
        closed_from_(closed_from) {}

  // Becomes 1 before each pass begins: if this process dies, its failure may be known to no one.
  void set_mark(std::atomic<std::uint32_t>& mark) { mark_ = &mark; }

  // Something was written to one of the open files.
  void note_written();
  // Asks for a pass over all files of the trace, as soon as the slots up to `slots` are written.
  void want(std::uint64_t slots) {
    is_wanted_ = true;
    wanted_ = slots;
  }
  // The trace is over: nothing is gained by waiting for the interval.
  void hurry() { hurries_ = true; }

  // Begins and continues passes. `written`: slots written, in order.
  void tend(std::uint64_t written, const OpenFiles& open);

  // Slots up to this one are durable, unless failures() has grown since the last look.
  std::uint64_t settled() const { return settled_; }
  // Whether the pass that want() asked for has not ended yet.
  bool is_wanted() const { return is_wanted_; }
  // Passes in which a sync has failed. What they were to settle may not be durable.
  std::uint64_t failures() const { return failures_; }
  // When a pass is due because of the interval; max() if there is nothing to sync.
  Clock::time_point next_due() const {
    return oldest_ == Clock::time_point::max() ? oldest_ : oldest_ + policy().interval;
  }
  // Whether a pass is under way: no open file with a busy SyncedFile may be closed.
  bool is_busy() const { return in_pass_; }
  // Whether the slots of a file have to be settled before it is closed.
  bool precedes_close() const { return policy().when == SyncWhen::kInterval; }
  // The file with this number is closed, and its slots were settled before.
  void closed(std::uint32_t sequence) {
    if (sequence == closed_from_ && precedes_close() && failures_ == 0) ++closed_from_;
  }

 private:
  const SyncPolicy& policy() const { return writer_.sync_policy(); }
  bool is_due(std::uint64_t written) const;
  void begin(std::uint64_t written, const OpenFiles& open);
  void start(SyncedFile& file);
  bool waits_for_slots(const OpenFiles& open);
  void find_closed();
  bool sync_next_closed();
  void end();

  SlotWriter& writer_;
  const std::string output_dir_;
  const std::string stem_;
  std::uint32_t closed_from_;
  std::atomic<std::uint32_t>* mark_ = nullptr;
  std::uint64_t settled_ = 0;
  std::uint64_t wanted_ = 0;
  bool is_wanted_ = false;
  std::uint64_t failures_ = 0;
  bool hurries_ = false;
  // When the oldest byte was written that no pass covers; only for SyncWhen::kInterval.
  Clock::time_point oldest_ = Clock::time_point::max();

  // The present pass.
  bool in_pass_ = false;
  bool has_failed_ = false;
  bool is_for_want_ = false;
  std::uint64_t target_ = 0;
  std::uint32_t closed_until_ = 0;
  std::vector<std::uint32_t> closed_;  // those to sync, the next one last
  std::uint32_t under_way_ = 0;
  UniqueFd closed_fd_;
  std::unique_ptr<SyncedFile> closed_file_;
};

}  // namespace ringside::consumer
