#include "consumerd/write/session_cursors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <iterator>
#include <vector>

#include <sys/stat.h>

#include "consumerd/descriptors/mapped_file.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/segment_layout.hpp"

namespace ringside::consumer {
namespace {

bool is_private_file(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 077) == 0 &&
         info.st_nlink == 1;
}

bool read_header(int fd, shm::SessionCursorHeader* header) {
  return pread(fd, static_cast<void*>(header), sizeof *header, 0) ==
             static_cast<ssize_t>(sizeof *header) &&
         header->magic == shm::kSessionCursorMagic &&
         header->version.load(std::memory_order_acquire) == shm::kSessionCursorVersion;
}

}  // namespace

std::string cursor_file_name(const std::uint8_t (&uuid)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name(shm::kSessionCursorPrefix);
  for (const std::uint8_t byte : uuid) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

std::unique_ptr<SessionCursors> SessionCursors::open(const std::string& shm_dir,
                                                     const std::uint8_t (&segment_uuid)[16],
                                                     const shm::SessionUuid& session_uuid,
                                                     std::uint32_t ring_count, std::string* why) {
  const shm::SessionUuid both = shm::uuid_in_session(segment_uuid, session_uuid);
  std::uint8_t uuid[16];
  std::copy(both.begin(), both.end(), uuid);
  const std::string name = cursor_file_name(uuid);
  std::unique_ptr<SessionCursors> cursors(new SessionCursors);
  cursors->path_ = shm_dir + "/" + name;
  cursors->ring_count_ = ring_count;
  const std::uint64_t bytes = shm::session_cursor_offset(ring_count);
  const auto fail = [&](const std::string& what) -> std::unique_ptr<SessionCursors> {
    *why = what + " " + cursors->path_ + ": " + error_text(errno) +
           "; make room in shared memory (in a container: --shm-size)";
    return nullptr;
  };
  cursors->fd_ = open_in(shm_dir, name, O_RDWR);
  struct stat info {};
  shm::SessionCursorHeader header{};
  // An incomplete one is from a consumerd that died while it created the file: it has no state.
  const bool found = cursors->fd_ && fstat(cursors->fd_.get(), &info) == 0 &&
                     is_private_file(info) && read_header(cursors->fd_.get(), &header) &&
                     header.ring_count == ring_count &&
                     static_cast<std::uint64_t>(info.st_size) == bytes &&
                     std::equal(std::begin(header.segment_uuid), std::end(header.segment_uuid),
                                std::begin(segment_uuid));
  if (!found) {
    unlink(cursors->path_.c_str());
    cursors->fd_ = open_in(shm_dir, name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!cursors->fd_ || ftruncate(cursors->fd_.get(), static_cast<off_t>(bytes)) != 0 ||
        fallocate(cursors->fd_.get(), 0, 0, shm::kPageBytes) != 0) {
      return fail("cannot create");
    }
    cursors->backed_bytes_ = shm::kPageBytes;
  }
  if (!map_front(cursors->fd_.get(), bytes, &cursors->region_)) return fail("cannot map");
  if (found) return cursors;
  auto* const front = static_cast<shm::SessionCursorHeader*>(cursors->region_.get_address());
  front->magic = shm::kSessionCursorMagic;
  front->ring_count = ring_count;
  std::copy(session_uuid.begin(), session_uuid.end(), front->session_uuid);
  std::copy(std::begin(segment_uuid), std::end(segment_uuid), front->segment_uuid);
  front->version.store(shm::kSessionCursorVersion, std::memory_order_release);
  return cursors;
}

shm::SessionCursor& SessionCursors::cursor(std::uint32_t ring) const {
  auto* const base = static_cast<std::byte*>(region_.get_address());
  return *reinterpret_cast<shm::SessionCursor*>(base + shm::session_cursor_offset(ring));
}

// Reads through the file: in shared memory that is full, touching a hole would raise a signal.
std::optional<CursorState> SessionCursors::load(std::uint32_t ring) const {
  shm::SessionCursor stored{};
  if (ring >= ring_count_ || pread(fd_.get(), static_cast<void*>(&stored), sizeof stored,
                                   static_cast<off_t>(shm::session_cursor_offset(ring))) !=
                                 static_cast<ssize_t>(sizeof stored)) {
    return {};
  }
  const std::uint64_t version = stored.version.load(std::memory_order_relaxed);
  if (version == 0) return {};
  return stored.copy[version % 2];
}

bool SessionCursors::store(std::uint32_t ring, const CursorState& state) {
  if (ring >= ring_count_) return false;
  const std::uint64_t end = shm::session_cursor_offset(ring + 1);
  if (end > backed_bytes_) {
    // Memory that is not reserved must not be touched: without room that would be a SIGBUS.
    const std::uint64_t pages = (end + shm::kPageBytes - 1) / shm::kPageBytes * shm::kPageBytes;
    const std::uint64_t limit = shm::session_cursor_offset(ring_count_);
    if (fallocate(fd_.get(), 0, 0, static_cast<off_t>(std::min(pages, limit))) != 0) return false;
    backed_bytes_ = pages;
  }
  shm::SessionCursor& stored = cursor(ring);
  const std::uint64_t version = stored.version.load(std::memory_order_relaxed) + 1;
  stored.copy[version % 2] = state;
  // Pairs with the acquire in load() of a successor: the copy is whole.
  stored.version.store(version, std::memory_order_release);
  return true;
}

std::unique_ptr<SessionCursors> SessionCursors::find(const std::string& shm_dir,
                                                     const std::uint8_t (&uuid)[16]) {
  const std::string name = cursor_file_name(uuid);
  std::unique_ptr<SessionCursors> cursors(new SessionCursors);
  cursors->path_ = shm_dir + "/" + name;
  cursors->fd_ = open_in(shm_dir, name, O_RDWR);
  struct stat info {};
  shm::SessionCursorHeader header{};
  if (!cursors->fd_ || fstat(cursors->fd_.get(), &info) != 0 || !is_private_file(info) ||
      !read_header(cursors->fd_.get(), &header)) {
    return nullptr;
  }
  const std::uint64_t bytes = shm::session_cursor_offset(header.ring_count);
  if (header.ring_count > shm::kMaxRings || static_cast<std::uint64_t>(info.st_size) != bytes ||
      !map_front(cursors->fd_.get(), bytes, &cursors->region_)) {
    return nullptr;
  }
  cursors->ring_count_ = header.ring_count;
  return cursors;
}

// The first page is always backed.
SessionCursors::Lease SessionCursors::lease() const {
  const auto* const front = static_cast<const shm::SessionCursorHeader*>(region_.get_address());
  return {front->switch_slot, front->switch_deadline_tsc};
}

void SessionCursors::store_lease(const Lease& lease) {
  auto* const front = static_cast<shm::SessionCursorHeader*>(region_.get_address());
  front->switch_deadline_tsc = lease.deadline_tsc;
  front->switch_slot = lease.slot;
}

void SessionCursors::remove() {
  unlink(path_.c_str());
}

void remove_cursor_files(const std::string& shm_dir, const shm::SessionUuid& session) {
  std::vector<std::string> names;
  {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(shm_dir.c_str()), closedir);
    if (dir == nullptr) return;
    while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
      if (std::string_view(entry->d_name).starts_with(shm::kSessionCursorPrefix)) {
        names.emplace_back(entry->d_name);
      }
    }
  }
  for (const std::string& name : names) {
    const UniqueFd fd = open_in(shm_dir, name, O_RDONLY);
    struct stat info {};
    shm::SessionCursorHeader header{};
    if (fd && fstat(fd.get(), &info) == 0 && is_private_file(info) &&
        read_header(fd.get(), &header) &&
        std::equal(session.begin(), session.end(), std::begin(header.session_uuid))) {
      std::string path = shm_dir;
      path.append("/").append(name);
      unlink(path.c_str());
    }
  }
}

}  // namespace ringside::consumer
