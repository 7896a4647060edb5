#include "consumerd/trace_file.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "consumerd/log.hpp"
#include "shm-layout/segment_name.hpp"
#include "trace-format/block_frame.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {
namespace {

constexpr int kMaxSequence = 10000;

std::string start_time_text(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000U);
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d%02d%02dT%02d%02d%02d-%06u", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<unsigned>(realtime_ns % 1'000'000'000U / 1000));
  return text;
}

// Whether the file begins with a section of this segment, or with nothing at all.
bool continues_segment(int fd, const shm::SegmentHeader& segment) {
  std::array<std::byte, 256> front;
  const ssize_t got = pread(fd, front.data(), front.size(), 0);
  if (got == 0) return true;
  trace::BlockFrame frame;
  if (got < static_cast<ssize_t>(trace::kBlockHeaderBytes + 24) ||
      !trace::parse_block_frame(front, frame) || frame.type != trace::BlockType::kHeader) {
    return false;
  }
  constexpr std::size_t kUuidOffset = trace::kBlockHeaderBytes + 8;
  return std::memcmp(front.data() + kUuidOffset, segment.uuid, sizeof segment.uuid) == 0;
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::open(const std::string& output_dir,
                                           const std::string& segment_name,
                                           const shm::SegmentHeader& header, SlotWriter& writer,
                                           StagingFile& staging,
                                           std::function<void(const shm::JournalEntry&)> written,
                                           std::string* why) {
  std::unique_ptr<TraceFile> file(new TraceFile(writer, staging));
  file->written_callback_ = std::move(written);
  file->segment_name_ = segment_name;
  std::memcpy(file->segment_uuid_, header.uuid, sizeof header.uuid);
  const std::string stem =
      output_dir + "/" + std::string(shm::service_of_segment_name(segment_name)) + "." +
      std::to_string(header.pid) + "." + start_time_text(header.start_realtime_ns) + ".";
  // A name can be taken by another segment: services of different containers have the same
  // pid and name and may even start in the same microsecond.
  for (int sequence = 0; sequence < kMaxSequence; ++sequence) {
    const std::string path = stem + std::to_string(sequence) + ".ringtrace";
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
    struct stat info {};
    // A symlink, directory or socket of that name: somebody else's, as is a fifo below.
    if (!fd && (errno == ELOOP || errno == EISDIR || errno == ENXIO)) continue;
    if (!fd || fstat(fd.get(), &info) != 0) {
      *why = "cannot open " + path + ": " + error_text(errno) +
             "; the output directory must be writable";
      return nullptr;
    }
    if (!S_ISREG(info.st_mode) || !continues_segment(fd.get(), header)) continue;
    file->fd_ = std::move(fd);
    file->path_ = path;
    file->device_ = info.st_dev;
    file->inode_ = info.st_ino;
    file->sequence_ = static_cast<std::uint32_t>(sequence);
    file->next_offset_ = static_cast<std::uint64_t>(info.st_size);
    if (path.size() >= sizeof shm::SlotHeader::file_path) {
      *why = "path too long: " + path + "; use a shorter output directory";
      return nullptr;
    }
    return file;
  }
  *why = "no free name left for " + stem + "*.ringtrace; clear the output directory";
  return nullptr;
}

bool TraceFile::open_slot() {
  const std::uint32_t slot = writer_.acquire();
  if (slot == kNoSlot) return false;
  shm::SlotHeader& header = staging_.header(slot);
  assert(header.commit.load(std::memory_order_relaxed) == 0);
  header.file_offset = next_offset_;
  std::memcpy(header.segment_uuid, segment_uuid_, sizeof segment_uuid_);
  header.file_device = device_;
  header.file_inode = inode_;
  std::memset(header.segment_name, 0, sizeof header.segment_name);
  segment_name_.copy(header.segment_name, sizeof header.segment_name - 1);
  std::memset(header.file_path, 0, sizeof header.file_path);
  path_.copy(header.file_path, sizeof header.file_path - 1);
  slot_ = slot;
  used_ = 0;
  journal_ = 0;
  return true;
}

std::span<std::byte> TraceFile::space(std::size_t bytes) {
  assert(bytes <= kStagingSlotBytes);
  if (slot_ != kNoSlot && (kStagingSlotBytes - used_ < bytes || journal_ == shm::kJournalEntries)) {
    seal();
  }
  if (slot_ == kNoSlot && !open_slot()) return {};
  return staging_.data(slot_).subspan(used_);
}

void TraceFile::commit(std::size_t bytes) {
  used_ += static_cast<std::uint32_t>(bytes);
  store_commit();
}

void TraceFile::commit(std::size_t bytes, const shm::JournalEntry& entry) {
  staging_.header(slot_).journal[journal_++] = entry;
  used_ += static_cast<std::uint32_t>(bytes);
  store_commit();
}

void TraceFile::store_commit() {
  if (oldest_ == std::chrono::steady_clock::time_point::max()) {
    oldest_ = std::chrono::steady_clock::now();
  }
  // Release: whoever recovers this slot sees the bytes and the journal that it speaks of.
  staging_.header(slot_).commit.store(shm::make_commit(used_, journal_), std::memory_order_release);
}

void TraceFile::seal() {
  oldest_ = std::chrono::steady_clock::time_point::max();
  if (slot_ == kNoSlot) return;
  if (used_ == 0) {
    // Asked for, but nothing came of it: others may be waiting for a slot.
    writer_.discard(std::exchange(slot_, kNoSlot));
    return;
  }
  next_offset_ += used_;
  const std::uint64_t number = ++sealed_;
  writer_.write(slot_, fd_.get(),
                [this, number](std::uint32_t slot) { slot_written(slot, number); });
  slot_ = kNoSlot;
}

void TraceFile::slot_written(std::uint32_t slot, std::uint64_t number) {
  const shm::SlotHeader& header = staging_.header(slot);
  const std::uint32_t count = shm::commit_journal(header.commit.load(std::memory_order_relaxed));
  // Writes may finish out of order, and the slot is free after this call: what it accounts for
  // is kept until all before it has arrived too.
  arrived_.emplace(number, Journal(header.journal, header.journal + count));
  while (!arrived_.empty() && arrived_.begin()->first == written_ + 1) {
    for (const shm::JournalEntry& entry : arrived_.begin()->second) written_callback_(entry);
    arrived_.erase(arrived_.begin());
    ++written_;
  }
}

}  // namespace ringside::consumer
