#pragma once
// The trace of one segment: appends blocks to staging slots, and slots to its files.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/index_collector.hpp"
#include "consumerd/output_file.hpp"
#include "consumerd/slot_writer.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/staging_area.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {

// Its bytes may be spread over several files, one after the other; slots and what is told of them
// are counted over all of them.
class TraceFile {
 public:
  // Opens <service>.<pid>.<start time>.<sequence>.ringtrace in `output_dir`, at its end if the
  // newest one already is this segment's. Null with `why` if it cannot be opened. `fresh`: it is
  // likely that there is none.
  // `written` is called for each journal entry whose bytes, and all bytes before them, have
  // reached the file. The object must outlive its writes: all_written().
  static std::unique_ptr<TraceFile> open(const std::string& output_dir,
                                         const std::string& segment_name,
                                         const shm::SegmentHeader& header, SlotWriter& writer,
                                         StagingFile& staging,
                                         std::function<void(const shm::JournalEntry&)> written,
                                         std::string* why, bool fresh = false);

  // Memory for at least `bytes` further bytes, to be filled from the front and then committed.
  // Seals the present slot if it has less. Empty if there is no room now: every slot is waiting
  // for the disk.
  std::span<std::byte> space(std::size_t bytes);

  // Makes the first `bytes` of space(), whole blocks, part of the file, with or without the ring
  // positions that they account for. From here on they survive this process.
  void commit(std::size_t bytes);
  void commit(std::size_t bytes, const shm::JournalEntry& entry);

  // Sends what is committed on its way, full or not; a slot without anything is given back.
  void seal();
  // When the oldest byte that is not sealed was committed; max() if there is none.
  std::chrono::steady_clock::time_point oldest() const { return oldest_; }

  // Goes on in the next file, which begins with `front`; the present one gets its INDEX and `end`
  // when everything before them has arrived. False with `why`, and nothing has changed but that
  // the present slot is sealed, if the next one cannot be made.
  bool rotate(const SectionFront& front, const trace::EndBlock& end, std::string* why);
  // The same, without a next file: nothing may be committed any more.
  void finish(const trace::EndBlock& end);
  // Ends files whose time has come. False if there is no slot for one.
  bool advance();
  // Whether everything, ends included, is in the files.
  bool all_written() const { return leaving_.empty() && written_ == sealed_; }

  std::uint64_t sealed() const { return sealed_; }    // slots sent so far
  std::uint64_t written() const { return written_; }  // slots of these that arrived, in order
  // Of the present file, what is not written yet included.
  std::uint64_t file_bytes() const { return next_offset_ + used_; }
  std::uint64_t files_ended() const { return files_ended_; }
  // Whether writes of it fail: nothing should be taken from its rings.
  bool stalled() const { return client_.stalled(); }
  // Whether the name of the present file leads elsewhere or nowhere: it was removed, moved or
  // replaced, or its directory was. What is written to it nobody may ever see.
  bool astray() const;
  const std::string& path() const { return file_.path; }
  const std::string& stem() const { return stem_; }
  std::uint32_t sequence() const { return file_.sequence; }

 private:
  TraceFile(SlotWriter& writer, StagingFile& staging) : writer_(writer), staging_(staging) {}
  // Of a slot that arrived before one with a smaller offset.
  using Journal = std::vector<shm::JournalEntry>;
  // A file that gets nothing more but its end.
  struct Leaving {
    OutputFile file;
    std::vector<std::byte> end;
    std::uint64_t end_offset = 0;
    std::uint64_t wait_for = 0;  // written() at which everything in front of the end is there
    bool end_sent = false;       // then `wait_for` is that of the end itself
  };
  bool open_slot();
  void describe_slot(std::uint32_t slot, const OutputFile& file, std::uint64_t offset);
  void store_commit(std::size_t bytes);
  void send(std::uint32_t slot, int fd);
  void leave_file(const trace::EndBlock& end);
  bool send_end(Leaving& leaving);
  void slot_written(std::uint32_t slot, std::uint64_t number);

  SlotWriter& writer_;
  StagingFile& staging_;
  WriteClient client_;
  std::function<void(const shm::JournalEntry&)> written_callback_;
  std::string output_dir_;
  std::string stem_;
  std::string segment_name_;
  std::uint8_t segment_uuid_[16] = {};
  OutputFile file_;
  std::vector<Leaving> leaving_;
  std::uint64_t files_ended_ = 0;
  IndexCollector index_;
  std::uint64_t next_offset_ = 0;  // where the next slot goes
  std::uint32_t slot_ = kNoSlot;
  std::uint32_t used_ = 0;
  std::uint32_t journal_ = 0;
  std::uint64_t sealed_ = 0;
  std::uint64_t written_ = 0;
  std::map<std::uint64_t, Journal> arrived_;  // by number, beyond written_
  std::chrono::steady_clock::time_point oldest_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace ringside::consumer
