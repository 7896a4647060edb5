#pragma once
// The trace of one segment: appends blocks to staging slots, and slots to its files.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/files/index_collector.hpp"
#include "consumerd/files/output_file.hpp"
#include "consumerd/write/slot_writer.hpp"
#include "consumerd/write/trace_sync.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/staging_area.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {

// Its bytes may be spread over several successive files; slots are counted over all of them.
class TraceFile {
 public:
  // Opens <service>.<pid>.<start time>.<sequence>.ringtrace in `output_dir`, at its end if the
  // newest file already belongs to this segment. Null with `why` if it cannot be opened. `written`
  // is called for each journal entry whose bytes, and all bytes before them, are in the file. The
  // object must outlive its writes: all_written().
  static std::unique_ptr<TraceFile> open(const std::string& output_dir,
                                         const std::string& segment_name,
                                         const shm::SegmentHeader& header, SlotWriter& writer,
                                         StagingFile& staging,
                                         std::function<void(const shm::JournalEntry&)> written,
                                         std::string* why, const FilesBefore& before = {});

  // Another file of the trace of `first`, which begins with `front` and is written at the same
  // time, through another writer. Its number is at least `least_sequence`, which must be higher
  // than that of every file of the trace. Null with `why` if it cannot be created.
  static std::unique_ptr<TraceFile> create_beside(
      const TraceFile& first, SlotWriter& writer, std::uint32_t least_sequence,
      const SectionFront& front, std::function<void(const shm::JournalEntry&)> written,
      std::string* why);

  // Memory for at least `bytes` further bytes, to fill from the front and then commit. Seals the
  // present slot if it has less room. Empty if there is no room now: every slot waits for the disk.
  std::span<std::byte> space(std::size_t bytes);

  // Makes the first `bytes` of space(), whole blocks, part of the file, with or without the ring
  // positions that they cover. From then on they survive a crash of this process.
  void commit(std::size_t bytes);
  // `processor`: the code for SlotHeader::journal_processor.
  void commit(std::size_t bytes, const shm::JournalEntry& entry, std::uint32_t processor = 0);

  // Starts to write what is committed, even if the slot is not full; returns an empty slot.
  void seal();
  // When the oldest unsealed byte was committed; max() if there is none.
  std::chrono::steady_clock::time_point oldest() const { return oldest_; }

  // Continues in the next file, which begins with `front`; the present file gets its INDEX and
  // `end` when everything before them is written. If the next file cannot be created, returns false
  // with `why`, and nothing has changed except that the present slot is sealed. The number of the
  // next file is at least `least_sequence`.
  bool rotate(const SectionFront& front, const trace::EndBlock& end, std::string* why,
              std::uint32_t least_sequence = 0);
  // The same without a next file: nothing may be committed afterwards.
  void finish(const trace::EndBlock& end);
  // Ends files that are ready for it. False if there is no slot for an end.
  bool advance();
  // Syncs what is due. Call it often, even while writes fail.
  void tend_sync();
  // Whether everything, including ends, is in the files, and durable if that is the policy or
  // wanted.
  bool all_written() const;
  // Asks to sync everything sealed so far, in whatever file of the trace; see sync().
  void want_durable() { sync_->want(sealed_); }
  const TraceSync& sync() const { return *sync_; }
  void mark_syncs(std::atomic<std::uint32_t>& mark) { sync_->set_mark(mark); }

  std::uint64_t sealed() const { return sealed_; }    // slots sent so far
  std::uint64_t written() const { return written_; }  // of these, slots written, in order
  // Length of the first file when it was opened: the first section begins there.
  std::uint64_t first_offset() const { return first_offset_; }
  // Length of the present file, including bytes not yet written.
  std::uint64_t file_bytes() const { return next_offset_ + used_; }
  std::uint64_t files_ended() const { return files_ended_; }
  // Whether its writes fail: its rings should not be drained.
  bool stalled() const { return client_.stalled(); }
  // Whether its end waits for a sync that may never end.
  bool sync_is_late() const { return sync_->is_busy() && writer_.syncer().is_late(); }
  // Whether the present file has lost its name: it, or its directory, was removed, moved or
  // replaced. Data written to it may be lost to readers.
  bool astray() const;
  // Whether a process follows the present file (trace-format/blocks/follower_lock.hpp).
  bool has_follower() const;
  const std::string& path() const { return file_.path; }
  const std::string& stem() const { return stem_; }
  std::uint32_t sequence() const { return file_.sequence; }

 private:
  TraceFile(SlotWriter& writer, StagingFile& staging) : writer_(writer), staging_(staging) {}
  // The journal of a slot that was written before one with a smaller offset.
  using Journal = std::vector<shm::JournalEntry>;
  // A file that waits only for its end.
  struct Leaving {
    OutputFile file;
    std::unique_ptr<SyncedFile> synced;
    std::vector<std::byte> end;
    std::uint64_t end_offset = 0;
    std::uint64_t wait_for = 0;  // value of written() when everything before the end is written
    bool end_sent = false;       // then `wait_for` includes the end itself
  };
  bool enter_next(std::uint32_t sequence, const SectionFront& front, std::string* why,
                  const trace::EndBlock* end = nullptr);
  bool open_slot();
  void describe_slot(std::uint32_t slot, const OutputFile& file, std::uint64_t offset);
  void store_commit(std::size_t bytes);
  void send(std::uint32_t slot, const OutputFile& file, SyncedFile& synced);
  void leave_file(const trace::EndBlock& end);
  bool send_end(Leaving& leaving);
  void slot_written(std::uint32_t slot, std::uint64_t number);
  bool is_over(const Leaving& leaving) const;

  SlotWriter& writer_;
  StagingFile& staging_;
  WriteClient client_;
  std::function<void(const shm::JournalEntry&)> written_callback_;
  std::string output_dir_;
  std::string stem_;
  std::string segment_name_;
  std::uint8_t segment_uuid_[16] = {};
  OutputFile file_;
  std::unique_ptr<SyncedFile> synced_;  // null after finish()
  std::unique_ptr<TraceSync> sync_;
  std::vector<Leaving> leaving_;
  std::uint64_t files_ended_ = 0;
  IndexCollector index_;
  std::uint64_t next_offset_ = 0;  // offset of the next slot
  std::uint32_t slot_ = kNoSlot;
  std::uint32_t used_ = 0;
  std::uint32_t journal_ = 0;
  std::uint64_t sealed_ = 0;
  std::uint64_t written_ = 0;
  std::map<std::uint64_t, Journal> arrived_;  // by number, greater than written_
  std::chrono::steady_clock::time_point oldest_ = std::chrono::steady_clock::time_point::max();
  std::uint64_t first_offset_ = 0;
};

}  // namespace ringside::consumer
