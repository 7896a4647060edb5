#include "consumerd/write/recovery.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "consumerd/descriptors/directory_sync.hpp"
#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/mapped_file.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/write/session_cursors.hpp"
#include "consumerd/write/staging_place.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "shm-layout/staging_area.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::consumer {
namespace {

// The dead consumerd's file, checked. Only files of this user are trusted: recovery writes to the
// files that they name.
struct DeadStaging {
  UniqueFd fd;
  boost::interprocess::mapped_region region;
  std::uint32_t slot_count = 0;
  std::uint64_t slot_bytes = 0;

  const shm::SlotHeader& header(std::uint32_t slot) const {
    const auto* base = static_cast<const std::byte*>(region.get_address());
    return *reinterpret_cast<const shm::SlotHeader*>(base + shm::slot_header_offset(slot));
  }
  const std::byte* data(std::uint32_t slot) const {
    const auto* base = static_cast<const std::byte*>(region.get_address());
    return base + shm::slot_data_offset(slot, slot_count, slot_bytes);
  }
};

// `only_for`: if not null, the file must belong to segments of this directory.
RecoveryResult open_dead(const std::string& directory, const std::string& name,
                         const std::string* only_for, DeadStaging* dead, const Log& log) {
  const std::string path = directory + "/" + name;
  dead->fd = open_in(directory, name, O_RDWR);
  if (!dead->fd) return errno == ENOENT ? RecoveryResult::kNothing : RecoveryResult::kFailed;
  struct stat info {};
  if (fstat(dead->fd.get(), &info) != 0 || !is_own_file(info)) {
    log.detail(path + " is not a staging file of this user; ignored");
    return RecoveryResult::kNothing;
  }
  if (!try_lock_byte(dead->fd.get(), shm::kStagingLockByte)) return RecoveryResult::kInUse;
  // Another recovery may have finished the file while this one waited for the lock.
  if (fstat(dead->fd.get(), &info) != 0 || info.st_nlink == 0) return RecoveryResult::kNothing;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  shm::StagingHeader header{};
  if (pread(dead->fd.get(), static_cast<void*>(&header), sizeof header, 0) !=
          static_cast<ssize_t>(sizeof header) ||
      header.magic != shm::kStagingMagic || header.version.load(std::memory_order_acquire) == 0) {
    // The consumerd that created it died before it was complete: it never held data.
    unlink(path.c_str());
    return RecoveryResult::kNothing;
  }
  if (only_for != nullptr &&
      std::string_view(header.shm_dir, strnlen(header.shm_dir, sizeof header.shm_dir)) !=
          *only_for) {
    return RecoveryResult::kNothing;  // belongs to another consumerd, which finishes it with its
                                      // segments
  }
  dead->slot_count = header.slot_count;
  dead->slot_bytes = header.slot_bytes;
  const bool sound =
      header.version.load(std::memory_order_relaxed) == shm::kStagingVersion &&
      dead->slot_count <= shm::kMaxStagingSlots && dead->slot_bytes <= shm::kMaxSlotBytes &&
      shm::slot_data_offset(dead->slot_count, dead->slot_count, dead->slot_bytes) <= size;
  if (!sound || !map_front(dead->fd.get(), size, &dead->region)) {
    log.error(
        "staging file " + path +
        " cannot be read by this version; recover it with the consumerd version that created it");
    return RecoveryResult::kFailed;
  }
  return RecoveryResult::kDone;
}

bool write_all(int fd, const std::byte* data, std::uint64_t bytes, std::uint64_t offset) {
  while (bytes > 0) {
    const ssize_t written = pwrite(fd, data, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    bytes -= static_cast<std::uint64_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

// Whether the slot's description of itself is possible: if not, neither its bytes nor its positions
// are used.
bool is_sound(const DeadStaging& dead, std::uint32_t slot) {
  const shm::SlotHeader& header = dead.header(slot);
  const std::uint64_t commit = header.commit.load(std::memory_order_acquire);
  constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 62;
  return shm::commit_bytes(commit) <= dead.slot_bytes &&
         shm::commit_journal(commit) <= shm::kJournalEntries && header.file_offset < kMaxOffset &&
         header.file_path[0] == '/' &&
         memchr(header.file_path, 0, sizeof header.file_path) != nullptr &&
         memchr(header.segment_name, 0, sizeof header.segment_name) != nullptr;
}

// Whether the slot's bytes belong into this file: it is the file they were meant for, or a section
// of the same segment begins it (a copy, or another device number after a remount), or it holds
// nothing before them.
bool is_its_file(int fd, const struct stat& info, const shm::SlotHeader& header) {
  if (info.st_dev == header.file_device && info.st_ino == header.file_inode) return true;
  std::array<std::byte, trace::kBlockHeaderBytes + 24> front{};
  const ssize_t got = pread(fd, front.data(), front.size(), 0);
  if (got < 0) return false;
  if (std::all_of(front.begin(), front.end(), [](std::byte b) { return b == std::byte{0}; })) {
    return true;
  }
  return std::memcmp(front.data() + trace::kBlockHeaderBytes + 8, header.segment_uuid,
                     sizeof header.segment_uuid) == 0;
}

// Whether the file has something else in the place of these bytes.
bool has_other_content(int fd, const std::byte* data, std::uint64_t bytes, std::uint64_t offset) {
  std::array<std::byte, 16U << 10> piece;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t most = std::min<std::uint64_t>(piece.size(), bytes - done);
    const ssize_t got = pread(fd, piece.data(), most, static_cast<off_t>(offset + done));
    if (got <= 0) return false;
    for (ssize_t i = 0; i < got; ++i, ++done) {
      const std::byte present = piece[static_cast<std::size_t>(i)];
      if (present != std::byte{0} && present != data[done]) return true;
    }
  }
  return false;
}

struct SlotWriting {
  bool durable = false;
  bool is_doubtful = false;  // from before a crash of the machine: parts of it may be old
};

bool write_slot(const DeadStaging& dead, std::uint32_t slot, const SlotWriting& way,
                bool* sync_failed, const Log& log) {
  const shm::SlotHeader& header = dead.header(slot);
  const std::uint32_t bytes = shm::commit_bytes(header.commit.load(std::memory_order_acquire));
  std::string path = header.file_path;
  if (access(path.c_str(), F_OK) != 0 && access(trace::packed_name(path).c_str(), F_OK) == 0) {
    // Only whole files are packed: the bytes were written, and only the commit word was not yet
    // cleared.
    return true;
  }
  for (;;) {
    const UniqueFd fd = open_without_links(path, O_RDWR | O_CREAT, 0640);
    struct stat info {};
    if (fd && fstat(fd.get(), &info) == 0 &&
        (!S_ISREG(info.st_mode) || !is_its_file(fd.get(), info, header)) &&
        path.size() == std::strlen(header.file_path)) {
      path += ".recovered";
      log.error(std::string(header.file_path) + " was replaced; the rest of its data goes to " +
                path);
      continue;
    }
    if (fd && S_ISREG(info.st_mode) && way.is_doubtful &&
        has_other_content(fd.get(), dead.data(slot), bytes, header.file_offset)) {
      log.error("a buffer for " + path + " differs from what the file has there; skipped it",
                {{"file", path}});
      return true;
    }
    if (fd && S_ISREG(info.st_mode) &&
        write_all(fd.get(), dead.data(slot), bytes, header.file_offset)) {
      *sync_failed = way.durable && (fdatasync(fd.get()) != 0 || !sync_directory_of(path));
      if (!*sync_failed) return true;
    }
    log.error("cannot finish " + path + ": " + error_text(errno) +
                  "; retrying, the records stay in shared memory",
              {{"file", path}});
    return false;
  }
}

// Attaches even if another process holds the lock briefly. Null if the segment is gone, or drained
// by a live consumerd: then its positions must not be set. `*again` if that is unknown.
std::unique_ptr<AttachedSegment> attach_patiently(const std::string& shm_dir,
                                                  const std::string& name, bool* again) {
  constexpr int kTries = 50;
  AttachFailure failure;
  for (int i = 0; i < kTries; ++i) {
    // For any owner: what this user's staging file names was served with permission.
    std::unique_ptr<AttachedSegment> segment =
        AttachedSegment::attach(shm_dir, name, &failure, AllowedUsers::anyone());
    if (segment != nullptr || failure.error != AttachError::kOwned) {
      // Nor must one whose owner has denied access to this user.
      *again = segment == nullptr && failure.error == AttachError::kNotNow && !failure.by_mode;
      return segment;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // A consumerd that adopts a segment first finishes the staging file that the segment names. This
  // segment names another: its service has overwritten the name, and must not block the recovery of
  // others.
  *again = false;
  return nullptr;
}

// The kernel does not report a failed sync again, and it may concern more than this slot.
void count_sync_failure(const std::string& shm_dir, const shm::SlotHeader& header) {
  bool again = false;
  const auto segment = attach_patiently(shm_dir, header.segment_name, &again);
  if (segment == nullptr) return;
  segment->control().tool_answers.sync_failures.fetch_add(1, std::memory_order_relaxed);
}

// Moves a session's place in the rings to that in the journal of one slot. The rings are drained by
// the main trace.
void set_session_cursors(SessionCursors& cursors, const shm::SlotHeader& header) {
  const std::uint32_t count = shm::commit_journal(header.commit.load(std::memory_order_acquire));
  for (std::uint32_t i = 0; i < count; ++i) {
    const shm::JournalEntry& entry = header.journal[i];
    const auto present = cursors.load(entry.ring_index);
    if (!present || present->generation != entry.generation) continue;
    const bool ahead =
        entry.consumer_pos > present->pos ||
        (entry.consumer_pos == present->pos && entry.next_sequence > present->next_sequence);
    if (!ahead) continue;
    CursorState state{};
    state.generation = entry.generation;
    state.pos = entry.consumer_pos;
    state.next_sequence = entry.next_sequence;
    state.last_tsc = entry.last_tsc;
    cursors.store(entry.ring_index, state);
  }
}

// Moves the rings' consumer positions to those in the journal of one slot.
bool set_positions(const std::string& shm_dir, const DeadStaging& dead, std::uint32_t slot,
                   const Log& log) {
  const shm::SlotHeader& header = dead.header(slot);
  if (const auto cursors = SessionCursors::find(shm_dir, header.segment_uuid)) {
    set_session_cursors(*cursors, header);
    return true;
  }
  const std::string name = header.segment_name;
  if (shm::service_of_segment_name(name).empty()) return true;
  bool again = false;
  const std::unique_ptr<AttachedSegment> segment = attach_patiently(shm_dir, name, &again);
  if (segment == nullptr) return !again;
  if (std::memcmp(segment->header().uuid, header.segment_uuid, 16) != 0) return true;
  const std::uint32_t count = shm::commit_journal(header.commit.load(std::memory_order_acquire));
  std::uint32_t moved = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const shm::JournalEntry& entry = header.journal[i];
    if (entry.ring_index >= segment->layout().ring_count) continue;
    shm::RingMetadata& ring = segment->ring(entry.ring_index);
    shm::ConsumerPositionLine& line = ring.consumer;
    if (line.generation.load(std::memory_order_relaxed) != entry.generation) continue;
    const std::uint64_t pos = line.consumer_pos.load(std::memory_order_relaxed);
    const bool ahead = entry.consumer_pos > pos ||
                       (entry.consumer_pos == pos &&
                        entry.booked_drops > line.booked_drops.load(std::memory_order_relaxed));
    // Never past what the service has published, whatever the entry says.
    const std::uint64_t end = ring.producer.producer_pos.load(std::memory_order_acquire);
    if (!ahead || entry.consumer_pos - pos > end - pos) continue;
    line.next_sequence.store(entry.next_sequence, std::memory_order_relaxed);
    line.last_tsc.store(entry.last_tsc, std::memory_order_relaxed);
    line.booked_drops.store(entry.booked_drops, std::memory_order_relaxed);
    line.booked_consumer_absent.store(entry.booked_consumer_absent, std::memory_order_relaxed);
    ring.identity.consumed_processor.store(
        shm::make_consumed_processor(header.journal_processor[i] & shm::kMaxProcessorCode,
                                     entry.consumer_pos),
        std::memory_order_relaxed);
    line.consumer_pos.store(entry.consumer_pos, std::memory_order_release);
    ++moved;
  }
  log.detail("recovered " + std::to_string(moved) + " ring positions of " + name);
  return true;
}

}  // namespace

namespace {

RecoveryResult recover_in(const std::string& shm_dir, const std::string& directory,
                          const std::string& name, const std::string* only_for, bool durable,
                          const Log& log) {
  const std::string path = directory + "/" + name;
  DeadStaging dead;
  const RecoveryResult opened = open_dead(directory, name, only_for, &dead, log);
  if (opened != RecoveryResult::kDone) return opened;
  // First all bytes, then all positions: a position never moves past bytes that are not in the
  // file.
  std::vector<std::uint32_t> committed;
  for (std::uint32_t slot = 0; slot < dead.slot_count; ++slot) {
    if (dead.header(slot).commit.load(std::memory_order_acquire) == 0) continue;
    if (is_sound(dead, slot)) {
      committed.push_back(slot);
    } else {
      log.error("slot " + std::to_string(slot) + " of " + path +
                " is damaged; skipped, its data is lost");
    }
  }
  for (const std::uint32_t slot : committed) {
    bool sync_failed = false;
    const bool done = write_slot(dead, slot, {durable, only_for != nullptr}, &sync_failed, log);
    if (sync_failed) count_sync_failure(shm_dir, dead.header(slot));
    if (!done) return RecoveryResult::kFailed;
  }
  for (const std::uint32_t slot : committed) {
    if (!set_positions(shm_dir, dead, slot, log)) return RecoveryResult::kFailed;
  }
  if (!committed.empty()) {
    log.notice("finished " + std::to_string(committed.size()) +
               " buffers that a dead consumerd left");
  }
  unlink(path.c_str());
  return RecoveryResult::kDone;
}

}  // namespace

RecoveryResult recover_staging(const std::string& shm_dir, const std::string& name, const Log& log,
                               bool durable) {
  const StagingPlace place = find_staging(shm_dir, name);
  const RecoveryResult result = recover_in(shm_dir, place.directory, name, nullptr, durable, log);
  struct stat info {};
  // The marker last: until then it leads to the file.
  if (!place.marker.empty() && lstat((place.directory + "/" + name).c_str(), &info) != 0 &&
      errno == ENOENT) {
    unlink((shm_dir + "/" + place.marker).c_str());
  }
  return result;
}

bool recover_all_staging(const std::string& shm_dir, const Log& log,
                         std::vector<std::string>* failed, bool durable) {
  bool sound = true;
  for (const std::string& entry : staging_entries(shm_dir)) {
    const std::string name = parse_staging_entry(entry).name;
    if (recover_staging(shm_dir, name, log, durable) != RecoveryResult::kFailed) continue;
    sound = false;
    if (failed != nullptr) failed->push_back(name);
  }
  return sound;
}

void recover_unmarked_staging(const std::string& shm_dir, const std::string& output_dir,
                              const Log& log, bool durable) {
  if (output_dir == shm_dir) return;
  for (const std::string& name : staging_entries(output_dir)) {
    recover_in(shm_dir, output_dir, name, &shm_dir, durable, log);
  }
}

std::vector<std::string> staged_directories(const std::string& shm_dir) {
  std::set<std::string> directories;
  for (const std::string& entry : staging_entries(shm_dir)) {
    const std::string name = parse_staging_entry(entry).name;
    const std::string place = find_staging(shm_dir, name).directory;
    if (place != shm_dir && access(place.c_str(), W_OK | X_OK) == 0) directories.insert(place);
    const UniqueFd fd = open_in(place, name, O_RDONLY);
    struct stat info {};
    if (!fd || fstat(fd.get(), &info) != 0 || !is_own_file(info)) continue;
    char path[sizeof shm::SlotHeader::file_path];
    for (std::uint32_t slot = 0; slot < shm::kMaxStagingSlots; ++slot) {
      const auto at =
          static_cast<off_t>(shm::slot_header_offset(slot) + offsetof(shm::SlotHeader, file_path));
      if (pread(fd.get(), path, sizeof path, at) != static_cast<ssize_t>(sizeof path)) break;
      const std::string file(path, strnlen(path, sizeof path));
      const std::string directory = file.substr(0, file.rfind('/') + 1);
      if (directory.starts_with("/") && access(directory.c_str(), W_OK | X_OK) == 0) {
        directories.insert(directory);
      }
    }
  }
  return {directories.begin(), directories.end()};
}

bool is_staging_in_use(const std::string& shm_dir, const std::string& name) {
  const UniqueFd fd = open_in(find_staging(shm_dir, name).directory, name, O_RDWR);
  struct stat info {};
  return fd && fstat(fd.get(), &info) == 0 && is_own_file(info) &&
         byte_is_locked(fd.get(), shm::kStagingLockByte);
}

}  // namespace ringside::consumer
