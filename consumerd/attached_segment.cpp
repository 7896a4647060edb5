#include "consumerd/attached_segment.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/file_lock.hpp"
#include "consumerd/log.hpp"
#include "shm-layout/segment_lock.hpp"

namespace ringside::consumer {
namespace {

std::string version_text(std::uint32_t version) {
  return std::to_string(shm::abi_major(version)) + "." + std::to_string(shm::abi_minor(version));
}

// Makes a string of a fixed field safe to use: terminated.
template <std::size_t N>
void terminate(char (&text)[N]) {
  text[N - 1] = '\0';
}

std::unique_ptr<shm::SegmentHeader> copy_header(int fd, std::uint32_t* version) {
  auto header = std::make_unique<shm::SegmentHeader>();
  // The version first and for itself: what is copied after a version was seen is complete. The load
  // is an acquire, though the word is ours: it keeps the second copy behind the first on every
  // machine, as a fence would, which ThreadSanitizer does not know.
  std::uint32_t ready = 0;
  if (pread(fd, &ready, sizeof ready, offsetof(shm::SegmentHeader, version)) !=
          static_cast<ssize_t>(sizeof ready) ||
      std::atomic_ref(ready).load(std::memory_order_acquire) == 0) {
    return nullptr;
  }
  // Through the file, not a mapping: one copy, and a file that shrinks is a short read.
  static_assert(std::is_trivially_destructible_v<shm::SegmentHeader>);
  if (pread(fd, static_cast<void*>(header.get()), sizeof *header, 0) !=
      static_cast<ssize_t>(sizeof *header)) {
    return nullptr;
  }
  *version = header->version.load(std::memory_order_relaxed);
  terminate(header->service);
  terminate(header->exe);
  terminate(header->host);
  return header;
}

// Bytes from the start of the segment that hold all regions but the rings, wherever the header
// says they are; 0 if the elements of a region are not of the size that we know.
std::uint64_t front_bytes(const shm::SegmentHeader& header, const shm::SegmentLayout& layout) {
  for (const shm::Region& region : header.regions) {
    if (region.kind == shm::RegionKind::kRingMetadata &&
        region.stride != sizeof(shm::RingMetadata)) {
      return 0;
    }
  }
  return std::max(
      {layout.control_offset + shm::kPageBytes,
       layout.metadata_offset + std::uint64_t{layout.ring_count} * sizeof(shm::RingMetadata),
       layout.dictionary_offset + layout.dictionary_bytes});
}

// Whether trying again can help.
bool may_pass(int error) {
  // A service that wants its group to read the segment sets the mode after it made the file.
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR ||
         error == EAGAIN || error == EACCES;
}

}  // namespace

std::unique_ptr<AttachedSegment> AttachedSegment::attach(const std::string& shm_dir,
                                                         const std::string& name,
                                                         AttachFailure* failure) {
  *failure = {};
  const auto fail = [failure](AttachError error, std::string why) {
    failure->error = error;
    failure->why = std::move(why);
    return nullptr;
  };
  std::unique_ptr<AttachedSegment> segment(new AttachedSegment);
  segment->name_ = name;
  segment->path_ = shm_dir + "/" + name;
  const std::string& path = segment->path_;
  segment->fd_ = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!segment->fd_) {
    if (errno == ENOENT) return fail(AttachError::kGone, path + " is gone");
    return fail(may_pass(errno) ? AttachError::kNotNow : AttachError::kRefused,
                "cannot open " + path + ": " + error_text(errno) +
                    "; run as its owner, or let the service set a mode "
                    "and group that include this user");
  }
  const int fd = segment->fd_.get();
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(AttachError::kRefused, path + " is not a regular file; remove it");
  }
  std::uint32_t version = 0;
  segment->header_ = copy_header(fd, &version);
  if (segment->header_ == nullptr || version == 0) {
    if (segment->remove_if_abandoned(info)) return fail(AttachError::kGone, path + " is gone");
    return fail(AttachError::kNotReady, {});
  }
  const shm::SegmentHeader& header = *segment->header_;
  if (header.magic != shm::kSegmentMagic || header.byte_order_mark != shm::kByteOrderMark) {
    return fail(AttachError::kRefused, path + " is not a Ringside segment of this machine");
  }
  if (shm::abi_major(version) != shm::kAbiMajor) {
    return fail(AttachError::kRefused,
                path + " has ABI version " + version_text(version) + ", this consumerd knows " +
                    version_text(shm::kAbiVersion) + "; use a consumerd of the service's release");
  }
  const auto layout = shm::read_layout(header, static_cast<std::uint64_t>(info.st_size));
  if (!layout) {
    return fail(AttachError::kRefused, path + " is damaged: its layout does not fit its size");
  }
  segment->layout_ = *layout;
  const std::uint64_t front = front_bytes(header, *layout);
  if (front == 0) {
    return fail(AttachError::kRefused, path + " has ring metadata of an unknown size");
  }
  if (!map_front(fd, front, &segment->head_)) {
    return fail(AttachError::kNotNow, "cannot map " + path + ": " + error_text(errno) +
                                          "; raise the limits on address space and mappings");
  }
  auto* const base = static_cast<std::byte*>(segment->head_.get_address());
  segment->guards_.emplace_back(base, front, &segment->truncated_);
  segment->control_ = reinterpret_cast<shm::ControlPage*>(base + layout->control_offset);
  segment->rings_ = reinterpret_cast<shm::RingMetadata*>(base + layout->metadata_offset);
  segment->dictionary_ = base + layout->dictionary_offset;
  if (!try_lock_byte(fd, shm::kConsumerLockByte)) {
    failure->owner_pid = segment->control_->consumer.pid.load(std::memory_order_relaxed);
    return fail(AttachError::kOwned, path + " is drained by the consumerd with pid " +
                                         std::to_string(failure->owner_pid));
  }
  segment->ring_mappings_.resize(layout->ring_count);
  return segment;
}

std::uint32_t AttachedSegment::rings_used() const {
  // Pairs with the service's release: metadata and memory of these rings are in place.
  return std::min(control_->service.rings_used.load(std::memory_order_acquire), layout_.ring_count);
}

const std::byte* AttachedSegment::ring_bytes(std::uint32_t index) {
  DoubleMapping& mapping = ring_mappings_[index];
  if (!mapping) {
    if (!mapping.map(fd_.get(), layout_.rings_offset + index * layout_.ring_bytes,
                     layout_.ring_bytes)) {
      return nullptr;
    }
    guards_.emplace_back(mapping.data(), mapping.mapped_bytes(), &truncated_);
  }
  return mapping.data();
}

bool AttachedSegment::service_alive() const {
  return byte_is_locked(fd_.get(), shm::kServiceLockByte);
}

// A service that dies while it makes its segment leaves a file that will never be ready.
bool AttachedSegment::remove_if_abandoned(const struct stat& info) {
  // Between creating and locking the file a living service takes moments.
  constexpr time_t kMakingSeconds = 2;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - info.st_ctim.tv_sec < kMakingSeconds) return false;
  // Holding the service's lock: one that was stopped in those moments finds out by it, or by the
  // missing name, and makes another segment.
  if (!try_lock_byte(fd_.get(), shm::kServiceLockByte)) return false;
  std::uint32_t version = 0;
  copy_header(fd_.get(), &version);
  if (version != 0) return false;
  unlink_file();
  return true;
}

void AttachedSegment::unlink_file() {
  struct stat ours {};
  struct stat named {};
  // The name may stand for another file by now; that one is not ours to remove.
  if (fstat(fd_.get(), &ours) != 0 || lstat(path_.c_str(), &named) != 0) return;
  if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) unlink(path_.c_str());
}

}  // namespace ringside::consumer
