#include "consumerd/write/trace_file.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/files/trace_name.hpp"
#include "trace-format/blocks/follower_lock.hpp"

namespace ringside::consumer {

std::unique_ptr<TraceFile> TraceFile::open(const std::string& output_dir,
                                           const std::string& segment_name,
                                           const shm::SegmentHeader& header, SlotWriter& writer,
                                           StagingFile& staging,
                                           std::function<void(const shm::JournalEntry&)> written,
                                           std::string* why, const FilesBefore& before) {
  std::unique_ptr<TraceFile> file(new TraceFile(writer, staging));
  file->written_callback_ = std::move(written);
  file->output_dir_ = output_dir;
  file->segment_name_ = segment_name;
  std::memcpy(file->segment_uuid_, header.uuid, sizeof header.uuid);
  file->stem_ = trace_stem(segment_name, header);
  if (!open_newest_output(output_dir, file->stem_, header, before, &file->file_, why))
    return nullptr;
  file->first_offset_ = file->next_offset_ = file->file_.bytes;
  return file;
}

bool TraceFile::open_slot() {
  const std::uint32_t slot = writer_.acquire(client_);
  if (slot == kNoSlot) return false;
  describe_slot(slot, file_, next_offset_);
  slot_ = slot;
  used_ = 0;
  journal_ = 0;
  return true;
}

void TraceFile::describe_slot(std::uint32_t slot, const OutputFile& file, std::uint64_t offset) {
  shm::SlotHeader& header = staging_.header(slot);
  assert(header.commit.load(std::memory_order_relaxed) == 0);
  header.file_offset = offset;
  std::memcpy(header.segment_uuid, segment_uuid_, sizeof segment_uuid_);
  header.file_device = file.device;
  header.file_inode = file.inode;
  std::memset(header.segment_name, 0, sizeof header.segment_name);
  segment_name_.copy(header.segment_name, sizeof header.segment_name - 1);
  std::memset(header.file_path, 0, sizeof header.file_path);
  file.path.copy(header.file_path, sizeof header.file_path - 1);
}

std::span<std::byte> TraceFile::space(std::size_t bytes) {
  assert(bytes <= kStagingSlotBytes);
  if (slot_ != kNoSlot && (kStagingSlotBytes - used_ < bytes || journal_ == shm::kJournalEntries)) {
    seal();
  }
  if (slot_ == kNoSlot && !open_slot()) return {};
  return staging_.data(slot_).subspan(used_);
}

bool TraceFile::astray() const {
  struct stat info {};
  if (stat(file_.path.c_str(), &info) != 0) return errno == ENOENT || errno == ENOTDIR;
  return info.st_dev != file_.device || info.st_ino != file_.inode;
}

bool TraceFile::has_follower() const {
  return file_.fd && byte_is_surely_locked(file_.fd.get(), trace::kFollowerLockByte);
}

void TraceFile::commit(std::size_t bytes) {
  store_commit(bytes);
}

void TraceFile::commit(std::size_t bytes, const shm::JournalEntry& entry, std::uint32_t processor) {
  shm::SlotHeader& header = staging_.header(slot_);
  header.journal_processor[journal_] = processor;
  header.journal[journal_++] = entry;
  store_commit(bytes);
}

void TraceFile::store_commit(std::size_t bytes) {
  index_.add(staging_.data(slot_).subspan(used_, bytes));
  used_ += static_cast<std::uint32_t>(bytes);
  if (oldest_ == std::chrono::steady_clock::time_point::max()) {
    oldest_ = std::chrono::steady_clock::now();
  }
  // Release: a process that recovers this slot sees the bytes and the journal that the word covers.
  staging_.header(slot_).commit.store(shm::make_commit(used_, journal_), std::memory_order_release);
}

void TraceFile::seal() {
  oldest_ = std::chrono::steady_clock::time_point::max();
  if (slot_ == kNoSlot) return;
  if (used_ == 0) {
    // Acquired, but not used: others may be waiting for a slot.
    writer_.discard(std::exchange(slot_, kNoSlot));
    return;
  }
  next_offset_ += std::exchange(used_, 0);
  send(std::exchange(slot_, kNoSlot), file_.fd.get());
}

void TraceFile::send(std::uint32_t slot, int fd) {
  const std::uint64_t number = ++sealed_;
  writer_.write(slot, fd, [this, number](std::uint32_t done) { slot_written(done, number); });
}

bool TraceFile::rotate(const SectionFront& front, const trace::EndBlock& end, std::string* why) {
  seal();
  OutputFile next;
  std::vector<std::byte> written_front;
  const SectionFront remembered = [&](std::uint32_t sequence) {
    return written_front = front(sequence);
  };
  if (!create_output(output_dir_, stem_, file_.sequence + 1, remembered, &next, why)) return false;
  leave_file(end);
  file_ = std::move(next);
  next_offset_ = written_front.size();
  index_.add(written_front);
  return true;
}

void TraceFile::finish(const trace::EndBlock& end) {
  seal();
  leave_file(end);
}

void TraceFile::leave_file(const trace::EndBlock& end) {
  Leaving leaving;
  leaving.end = index_.block();
  trace::EndBlock block = end;
  block.index_bytes = leaving.end.size();
  leaving.end.resize(block.index_bytes + trace::kBlockHeaderBytes + trace::kEndBytes);
  trace::write_end_block(block, std::span(leaving.end).subspan(block.index_bytes));
  leaving.end_offset = next_offset_;
  leaving.wait_for = sealed_;
  leaving.file = std::move(file_);
  file_.path = leaving.file.path;
  leaving_.push_back(std::move(leaving));
}

bool TraceFile::advance() {
  for (Leaving& leaving : leaving_) {
    if (!leaving.end_sent && written_ >= leaving.wait_for && !send_end(leaving)) return false;
  }
  files_ended_ += std::erase_if(leaving_, [this](const Leaving& leaving) {
    return leaving.end_sent && written_ >= leaving.wait_for;
  });
  return true;
}

bool TraceFile::send_end(Leaving& leaving) {
  static_assert(IndexCollector::kMaxIndexBytes + trace::kBlockHeaderBytes + trace::kEndBytes <=
                kStagingSlotBytes);
  const std::uint32_t slot = writer_.acquire(client_);
  if (slot == kNoSlot) return false;
  describe_slot(slot, leaving.file, leaving.end_offset);
  std::copy(leaving.end.begin(), leaving.end.end(), staging_.data(slot).begin());
  staging_.header(slot).commit.store(
      shm::make_commit(static_cast<std::uint32_t>(leaving.end.size()), 0),
      std::memory_order_release);
  send(slot, leaving.file.fd.get());
  leaving.end_sent = true;
  leaving.wait_for = sealed_;
  return true;
}

void TraceFile::slot_written(std::uint32_t slot, std::uint64_t number) {
  const shm::SlotHeader& header = staging_.header(slot);
  const std::uint32_t count = shm::commit_journal(header.commit.load(std::memory_order_relaxed));
  // Writes may finish out of order, and the slot is free after this call: its journal is kept until
  // all slots before it are written too.
  arrived_.emplace(number, Journal(header.journal, header.journal + count));
  while (!arrived_.empty() && arrived_.begin()->first == written_ + 1) {
    for (const shm::JournalEntry& entry : arrived_.begin()->second) written_callback_(entry);
    arrived_.erase(arrived_.begin());
    ++written_;
  }
}

}  // namespace ringside::consumer
