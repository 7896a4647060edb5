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
  file->synced_ =
      std::make_unique<SyncedFile>(file->file_.fd.get(), file->file_.path, file->file_.bytes != 0);
  file->sync_ = std::make_unique<TraceSync>(writer, output_dir, file->stem_,
                                            before.none ? file->file_.sequence : 0);
  if (file->synced_->has_unsynced()) file->sync_->note_written();
  // What a predecessor has left unsynced, in closed files, too.
  if (!before.none && writer.sync_policy().when != SyncWhen::kNever) file->sync_->want(0);
  return file;
}

std::unique_ptr<TraceFile> TraceFile::create_beside(
    const TraceFile& first, SlotWriter& writer, std::uint32_t least_sequence,
    const SectionFront& front, std::function<void(const shm::JournalEntry&)> written,
    std::string* why) {
  std::unique_ptr<TraceFile> file(new TraceFile(writer, first.staging_));
  file->written_callback_ = std::move(written);
  file->output_dir_ = first.output_dir_;
  file->segment_name_ = first.segment_name_;
  std::memcpy(file->segment_uuid_, first.segment_uuid_, sizeof first.segment_uuid_);
  file->stem_ = first.stem_;
  if (!file->enter_next(least_sequence, front, why)) return nullptr;
  file->sync_ =
      std::make_unique<TraceSync>(writer, file->output_dir_, file->stem_, file->file_.sequence);
  file->sync_->note_written();
  return file;
}

// Without anything else having changed if the file cannot be created.
bool TraceFile::enter_next(std::uint32_t sequence, const SectionFront& front, std::string* why,
                           const trace::EndBlock* end) {
  OutputFile next;
  std::vector<std::byte> written_front;
  const SectionFront remembered = [&](std::uint32_t number) {
    return written_front = front(number);
  };
  if (!create_output(output_dir_, stem_, sequence, remembered, &next, why)) return false;
  if (end != nullptr) leave_file(*end);
  file_ = std::move(next);
  synced_ = std::make_unique<SyncedFile>(file_.fd.get(), file_.path, true);
  next_offset_ = written_front.size();
  index_.add(written_front);
  return true;
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
  send(std::exchange(slot_, kNoSlot), file_, *synced_);
}

void TraceFile::send(std::uint32_t slot, const OutputFile& file, SyncedFile& synced) {
  const std::uint64_t number = ++sealed_;
  writer_.write(
      slot, file.fd.get(),
      [this, number, &synced](std::uint32_t done) {
        synced.note_written();
        slot_written(done, number);
      },
      &synced);
}

bool TraceFile::rotate(const SectionFront& front, const trace::EndBlock& end, std::string* why,
                       std::uint32_t least_sequence) {
  seal();
  if (!enter_next(std::max(file_.sequence + 1, least_sequence), front, why, &end)) return false;
  sync_->note_written();
  return true;
}

void TraceFile::finish(const trace::EndBlock& end) {
  seal();
  leave_file(end);
  sync_->hurry();
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
  leaving.synced = std::move(synced_);
  leaving.file = std::move(file_);
  file_.path = leaving.file.path;
  leaving_.push_back(std::move(leaving));
}

// The open files, in order of their numbers: those that are left, and the present one.
void TraceFile::tend_sync() {
  std::vector<SyncedFile*> files;
  for (const Leaving& leaving : leaving_) files.push_back(leaving.synced.get());
  if (synced_ != nullptr) files.push_back(synced_.get());
  const std::uint32_t none_open = file_.sequence + 1;
  const std::uint32_t present = synced_ != nullptr ? file_.sequence : none_open;
  sync_->tend(written_, {files, leaving_.empty() ? present : leaving_.front().file.sequence});
}

bool TraceFile::is_over(const Leaving& leaving) const {
  return leaving.end_sent && written_ >= leaving.wait_for && !leaving.synced->is_busy() &&
         (!sync_->precedes_close() || sync_->settled() >= leaving.wait_for);
}

bool TraceFile::all_written() const {
  return leaving_.empty() && written_ == sealed_ && !sync_->is_busy() && !sync_->is_wanted();
}

bool TraceFile::advance() {
  for (Leaving& leaving : leaving_) {
    if (!leaving.end_sent && written_ >= leaving.wait_for && !send_end(leaving)) return false;
  }
  files_ended_ += std::erase_if(leaving_, [this](const Leaving& leaving) {
    if (!is_over(leaving)) return false;
    sync_->closed(leaving.file.sequence);
    return true;
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
  send(slot, leaving.file, *leaving.synced);
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
  sync_->note_written();
}

}  // namespace ringside::consumer
