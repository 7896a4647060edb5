#pragma once
// The trace file of one segment: appends blocks to staging slots, and slots to the file.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/slot_writer.hpp"
#include "consumerd/unique_fd.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/staging_area.hpp"

namespace ringside::consumer {

class TraceFile {
 public:
  // Opens <service>.<pid>.<start time>.<sequence>.ringtrace in `output_dir`, at its end if it
  // already is this segment's. Null with `why` if it cannot be opened.
  // `written` is called for each journal entry whose bytes, and all bytes before them, have
  // reached the file. The object must outlive its writes: written() == sealed().
  static std::unique_ptr<TraceFile> open(const std::string& output_dir,
                                         const std::string& segment_name,
                                         const shm::SegmentHeader& header, SlotWriter& writer,
                                         StagingFile& staging,
                                         std::function<void(const shm::JournalEntry&)> written,
                                         std::string* why);

  // Memory for at least `bytes` further bytes, to be filled from the front and then committed.
  // Seals the present slot if it has less. Empty if there is no room now: every slot is waiting
  // for the disk.
  std::span<std::byte> space(std::size_t bytes);

  // Makes the first `bytes` of space() part of the file, with or without the ring positions that
  // they account for. From here on they survive this process.
  void commit(std::size_t bytes);
  void commit(std::size_t bytes, const shm::JournalEntry& entry);

  // Sends what is committed on its way, full or not; a slot without anything is given back.
  void seal();
  // When the oldest byte that is not sealed was committed; max() if there is none.
  std::chrono::steady_clock::time_point oldest() const { return oldest_; }

  std::uint64_t sealed() const { return sealed_; }    // slots sent so far
  std::uint64_t written() const { return written_; }  // slots of these that arrived, in order
  std::uint64_t offset() const { return next_offset_; }
  const std::string& path() const { return path_; }
  std::uint32_t sequence() const { return sequence_; }

 private:
  TraceFile(SlotWriter& writer, StagingFile& staging) : writer_(writer), staging_(staging) {}
  // Of a slot that arrived before one with a smaller offset.
  using Journal = std::vector<shm::JournalEntry>;
  bool open_slot();
  void store_commit();
  void slot_written(std::uint32_t slot, std::uint64_t number);

  SlotWriter& writer_;
  StagingFile& staging_;
  std::function<void(const shm::JournalEntry&)> written_callback_;
  UniqueFd fd_;
  std::string path_;
  std::string segment_name_;
  std::uint8_t segment_uuid_[16] = {};
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::uint32_t sequence_ = 0;
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
