#include "consumerd/write/staging_file.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/random.h>
#include <sys/stat.h>

#include "consumerd/configuration/options.hpp"
#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/staging_place.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

// All slots must fit into the table of the file (shm-layout/staging_area.hpp).
static_assert(kMostThreads * kStagingSlots <= shm::kMaxStagingSlots);

bool reserve(int fd, std::uint64_t offset, std::uint64_t bytes) {
  int result = 0;
  do {
    result = fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0 || errno != EOPNOTSUPP) return result == 0;
  // For a file system without fallocate.
  const std::vector<std::byte> zeros(64U << 10);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min<std::uint64_t>(zeros.size(), bytes - done);
    const ssize_t written = pwrite(fd, zeros.data(), piece, static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::uint64_t>(written);
  }
  return true;
}

bool is_named(int fd, const std::string& path) {
  struct stat named {};
  struct stat open_one {};
  return stat(path.c_str(), &named) == 0 && fstat(fd, &open_one) == 0 &&
         named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
}

}  // namespace

std::string staging_name(const std::array<std::uint8_t, 16>& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name(shm::kStagingPrefix);
  for (const std::uint8_t byte : uuid) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

// Between its creation and its lock a new file looks abandoned: a consumerd that starts at the same
// time may lock and remove it as a dead one's. It checks each file that it finds once, so one or
// two other names are enough.
std::unique_ptr<StagingFile> StagingFile::create_patiently(const std::string& shm_dir,
                                                           const std::string& directory,
                                                           std::uint32_t threads,
                                                           std::string* why) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    bool contested = false;
    std::unique_ptr<StagingFile> file = create_once(shm_dir, directory, threads, &contested, why);
    if (file != nullptr || !contested || attempt == kAttempts) return file;
  }
}

std::unique_ptr<StagingFile> StagingFile::create(const std::string& shm_dir, std::string* why,
                                                 std::uint32_t threads) {
  return create_patiently(shm_dir, shm_dir, threads, why);
}

std::unique_ptr<StagingFile> StagingFile::create_elsewhere(const std::string& shm_dir,
                                                           const std::string& directory,
                                                           std::string* why,
                                                           std::uint32_t threads) {
  return create_patiently(shm_dir, directory, threads, why);
}

std::unique_ptr<StagingFile> StagingFile::create_once(const std::string& shm_dir,
                                                      const std::string& directory,
                                                      std::uint32_t threads, bool* contested,
                                                      std::string* why) {
  std::unique_ptr<StagingFile> file(new StagingFile);
  if (getrandom(file->uuid_.data(), file->uuid_.size(), 0) !=
      static_cast<ssize_t>(file->uuid_.size())) {
    *why = "cannot get random numbers: " + error_text(errno);
    return nullptr;
  }
  const bool elsewhere = directory != shm_dir;
  const std::string path = directory + "/" + staging_name(file->uuid_);
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    *why = what + " " + path + ": " + error_text(errno) + "; " + remedy;
    return nullptr;
  };
  file->fd_ = open_in(directory, staging_name(file->uuid_), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (!file->fd_) {
    return refuse("cannot create", elsewhere
                                       ? "make the --output directory writable for this user"
                                       : "make the --shm-dir directory writable for this user");
  }
  file->path_ = path;
  const int fd = file->fd_.get();
  if (!try_lock_byte(fd, shm::kStagingLockByte)) {
    *contested = true;
    return refuse("cannot lock", "the file system must support OFD locks");
  }
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_nlink == 0) {
    *contested = true;
    file->path_.clear();
    *why = path + " was removed by another consumerd before it was locked; start consumerd again";
    return nullptr;
  }
  const std::uint32_t slots = threads * kStagingSlots;
  const std::uint64_t front = shm::slot_header_offset(slots);
  const std::uint64_t total = front + slots * kStagingSlotBytes;
  if (ftruncate(fd, static_cast<off_t>(total)) != 0 || !reserve(fd, 0, front)) {
    return refuse(elsewhere ? "no space for" : "no memory for",
                  elsewhere ? "free space on the disk"
                            : "enlarge the shared-memory file system (in a container: --shm-size)");
  }
  if (!map_front(fd, total, &file->region_)) {
    return refuse("cannot map", "raise the address space limit");
  }
  auto* const header = static_cast<shm::StagingHeader*>(file->region_.get_address());
  header->magic = shm::kStagingMagic;
  header->slot_count = slots;
  header->slot_bytes = kStagingSlotBytes;
  header->owner_pid = static_cast<std::uint32_t>(getpid());
  std::memcpy(header->uuid, file->uuid_.data(), sizeof header->uuid);
  if (elsewhere) {
    if (shm_dir.size() >= sizeof header->shm_dir) {
      errno = ENAMETOOLONG;
      return refuse("path too long for", "use a shorter --shm-dir");
    }
    shm_dir.copy(header->shm_dir, sizeof header->shm_dir - 1);
  }
  // Pairs with the acquire in recovery: a file without a version holds nothing.
  header->version.store(shm::kStagingVersion, std::memory_order_release);
  file->threads_.resize(threads);
  file->free_.assign(slots, 1);
  file->backed_.assign(slots, 0);
  // Last: a marker leads to a file that is complete and locked.
  if (elsewhere && !file->make_marker(shm_dir, directory)) {
    return refuse("cannot name in " + shm_dir,
                  "use a shorter path for --output, or free space there");
  }
  return file;
}

bool StagingFile::make_marker(const std::string& shm_dir, const std::string& directory) {
  const std::string name = staging_marker(staging_name(uuid_), directory);
  marker_ = open_in(shm_dir, name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (!marker_) return false;
  marker_path_ = shm_dir + "/" + name;
  return try_lock_byte(marker_.get(), shm::kStagingLockByte);
}

StagingFile::~StagingFile() {
  if (path_.empty()) return;
  for (std::uint32_t slot = 0; slot < free_.size(); ++slot) {
    if (header(slot).commit.load(std::memory_order_relaxed) != 0) return;
  }
  // In this order, because a marker alone is harmless, but a staging file without a marker would
  // never be found.
  unlink(path_.c_str());
  if (!marker_path_.empty()) unlink(marker_path_.c_str());
}

bool StagingFile::reserve_slot(std::uint32_t slot) {
  const std::uint64_t offset = shm::slot_data_offset(slot, slots(), kStagingSlotBytes);
  return reserve(fd_.get(), offset, kStagingSlotBytes);
}

// Does not mark the slot: acquire() reserves it again, at no cost.
bool StagingFile::reserve_one() {
  return reserve_slot(0);
}

bool StagingFile::has_no_memory() const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [](const Part& part) { return part.out_of_memory; }) &&
         std::find(backed_.begin(), backed_.end(), 1) == backed_.end();
}

std::uint32_t StagingFile::slots_used() const {
  std::uint32_t used = slots();
  for (const Part& part : threads_) used -= part.free_slots;
  return used;
}

std::uint32_t StagingFile::acquire(bool* first_use, std::uint32_t thread) {
  *first_use = false;
  Part& part = threads_[thread];
  const std::uint32_t first = thread * kStagingSlots;
  // The lowest free slot: a quiet consumer keeps using the same few pages.
  for (std::uint32_t slot = first; slot < first + kStagingSlots; ++slot) {
    if (free_[slot] == 0) continue;
    if (backed_[slot] == 0) {
      // No memory: the slots that have memory must suffice.
      part.out_of_memory = !reserve_slot(slot);
      if (part.out_of_memory) return kNoSlot;
      backed_[slot] = 1;
      *first_use = true;
    }
    free_[slot] = 0;
    --part.free_slots;
    return slot;
  }
  part.out_of_memory = false;
  return kNoSlot;
}

void StagingFile::release(std::uint32_t slot) {
  assert(free_[slot] == 0 && header(slot).commit.load(std::memory_order_relaxed) == 0);
  free_[slot] = 1;
  ++threads_[slot / kStagingSlots].free_slots;
}

bool StagingFile::reachable() const {
  return is_named(fd_.get(), path_) &&
         (marker_path_.empty() || is_named(marker_.get(), marker_path_));
}

void StagingFile::change_to(StagingFile& fresh) {
  assert(slots_used() == 0 && fresh.slots_used() == 0 && slots() == fresh.slots());
  std::swap(path_, fresh.path_);
  std::swap(fd_, fresh.fd_);
  region_.swap(fresh.region_);
  std::swap(uuid_, fresh.uuid_);
  std::swap(backed_, fresh.backed_);
  std::swap(marker_path_, fresh.marker_path_);
  std::swap(marker_, fresh.marker_);
  for (Part& part : threads_) part.out_of_memory = false;
}

shm::SlotHeader& StagingFile::header(std::uint32_t slot) {
  auto* const base = static_cast<std::byte*>(region_.get_address());
  return *reinterpret_cast<shm::SlotHeader*>(base + shm::slot_header_offset(slot));
}

std::span<std::byte> StagingFile::data(std::uint32_t slot) {
  auto* const base = static_cast<std::byte*>(region_.get_address());
  return {base + shm::slot_data_offset(slot, slots(), kStagingSlotBytes), kStagingSlotBytes};
}

}  // namespace ringside::consumer
