#include "consumerd/discover/attached_segment.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/segment_lock.hpp"

namespace ringside::consumer {
namespace {

std::string version_text(std::uint32_t version) {
  return std::to_string(shm::abi_major(version)) + "." + std::to_string(shm::abi_minor(version));
}

// Terminates a string of fixed size, so that it is safe to use.
template <std::size_t N>
void terminate(char (&text)[N]) {
  text[N - 1] = '\0';
}

std::unique_ptr<shm::SegmentHeader> copy_header(int fd, std::uint32_t* version) {
  auto header = std::make_unique<shm::SegmentHeader>();
  // Reads the version first, separately: once a version is set, the header copied afterwards is
  // complete. The load is an acquire although the word is local: like a fence, it keeps the second
  // copy after the first on every machine, and ThreadSanitizer does not know fences.
  std::uint32_t ready = 0;
  if (pread(fd, &ready, sizeof ready, offsetof(shm::SegmentHeader, version)) !=
          static_cast<ssize_t>(sizeof ready) ||
      std::atomic_ref(ready).load(std::memory_order_acquire) == 0) {
    return nullptr;
  }
  // Reads the file, not a mapping: one copy, and a truncated file gives a short read.
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

// More than the largest valid segment has before its rings, and a small part of an address space.
constexpr std::uint64_t kMaxFrontBytes = std::uint64_t{8} << 30;

// Bytes from the start of the segment that hold all regions except the rings, wherever the header
// places them; 0 if the elements of a region do not have the known size.
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
       layout.switches_offset + layout.site_capacity,
       layout.dictionary_offset + layout.dictionary_bytes,
       layout.nested_offset + std::uint64_t{layout.ring_count} * sizeof(shm::NestedRecords),
       layout.contexts_offset + std::uint64_t{layout.ring_count} * sizeof(shm::ConsumedContext)});
}

// Whether a retry can succeed.
bool may_pass(int error) {
  // EACCES: a service that lets its group read the segment sets the mode after creating the file.
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR ||
         error == EAGAIN || error == EACCES;
}

// All live objects, for unmap_all_rings(). Only the poll loop's thread creates and destroys them.
std::vector<AttachedSegment*>& attached_segments() {
  static std::vector<AttachedSegment*> segments;
  return segments;
}

}  // namespace

AttachedSegment::AttachedSegment() {
  attached_segments().push_back(this);
}

AttachedSegment::~AttachedSegment() {
  std::erase(attached_segments(), this);
}

// Empty with `failure`. An untrusted file is not even opened, as far as that can be known: opening
// a device can have effects.
UniqueFd AttachedSegment::open_file(const std::string& shm_dir, const AllowedUsers& users,
                                    AttachFailure* failure) {
  for (const int flags : {O_PATH, O_RDWR}) {
    UniqueFd fd = open_in(shm_dir, name_, flags);
    struct stat info {};
    if (!fd || fstat(fd.get(), &info) != 0) {
      failure->error = errno == ENOENT   ? AttachError::kGone
                       : may_pass(errno) ? AttachError::kNotNow
                                         : AttachError::kRefused;
      failure->by_mode = errno == EACCES;
      failure->no_descriptors = errno == EMFILE || errno == ENFILE;
      failure->may_hold_records = may_pass(errno);
      failure->why = errno == ELOOP || errno == EXDEV
                         ? path_ + " is a symbolic link or a mount point; remove it"
                         : "cannot open " + path_ + ": " + error_text(errno) +
                               "; run consumerd as its owner, or set RINGSIDE_MODE and "
                               "RINGSIDE_GROUP of the service so that this user has access";
      return {};
    }
    const Trust trust = judge(info, users, path_, &failure->why);
    if (trust != Trust::kTrusted) {
      failure->error = trust == Trust::kGone     ? AttachError::kGone
                       : trust == Trust::kNotNow ? AttachError::kNotNow
                                                 : AttachError::kRefused;
      failure->may_hold_records = trust == Trust::kNotNow;
      return {};
    }
    owner_ = info.st_uid;
    if (flags == O_RDWR) return fd;
  }
  return {};
}

std::unique_ptr<AttachedSegment> AttachedSegment::attach(const std::string& shm_dir,
                                                         const std::string& name,
                                                         AttachFailure* failure,
                                                         const AllowedUsers& users) {
  *failure = {};
  const auto fail = [failure](AttachError error, std::string why) {
    failure->error = error;
    failure->may_hold_records = error == AttachError::kNotNow || error == AttachError::kRefused;
    failure->why = std::move(why);
    return nullptr;
  };
  std::unique_ptr<AttachedSegment> segment(new AttachedSegment);
  segment->name_ = name;
  segment->path_ = shm_dir + "/" + name;
  const std::string& path = segment->path_;
  segment->fd_ = segment->open_file(shm_dir, users, failure);
  if (!segment->fd_) return nullptr;
  const int fd = segment->fd_.get();
  struct stat info {};
  if (fstat(fd, &info) != 0) return fail(AttachError::kRefused, path + ": " + error_text(errno));
  std::uint32_t version = 0;
  segment->header_ = copy_header(fd, &version);
  if (segment->header_ == nullptr || version == 0) {
    if (segment->remove_if_abandoned(info)) return fail(AttachError::kGone, path + " is gone");
    return fail(AttachError::kNotReady, {});
  }
  const shm::SegmentHeader& header = *segment->header_;
  if (header.magic != shm::kSegmentMagic || header.byte_order_mark != shm::kByteOrderMark) {
    return fail(AttachError::kRefused,
                path + " is not a Ringside segment of this machine; remove the file");
  }
  if (shm::abi_major(version) != shm::kAbiMajor) {
    return fail(AttachError::kRefused, path + " has ABI version " + version_text(version) +
                                           ", this consumerd supports version " +
                                           version_text(shm::kAbiVersion) +
                                           "; use the consumerd of the service's release");
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const auto layout = shm::read_layout(header, size);
  if (!layout && size < header.segment_bytes && segment->remove_if_ownerless()) {
    failure->removed_records = true;
    return fail(AttachError::kGone, path +
                                        " was truncated before it was drained, and its service has "
                                        "ended; removed it, its records are lost");
  }
  if (!layout) {
    return fail(
        AttachError::kRefused,
        path +
            " is damaged: its layout does not match its size; remove it when no service uses it");
  }
  segment->layout_ = *layout;
  const std::uint64_t front = front_bytes(header, *layout);
  if (front == 0) {
    return fail(
        AttachError::kRefused,
        path + " has ring metadata of an unknown size; use the consumerd of the service's release");
  }
  if (front > kMaxFrontBytes) {
    return fail(
        AttachError::kRefused,
        path + " is damaged: its regions are too far apart; remove it when no service uses it");
  }
  segment->header_->uid = info.st_uid;
  if (!map_front(fd, front, &segment->head_)) {
    return fail(
        AttachError::kNotNow,
        "cannot map " + path + ": " + error_text(errno) +
            "; raise the limits on address space (ulimit -v) and mappings (vm.max_map_count)");
  }
  auto* const base = static_cast<std::byte*>(segment->head_.get_address());
  segment->head_guard_ = GuardedRange(base, front, &segment->truncated_);
  segment->control_ = reinterpret_cast<shm::ControlPage*>(base + layout->control_offset);
  segment->rings_ = reinterpret_cast<shm::RingMetadata*>(base + layout->metadata_offset);
  if (layout->nested_offset != 0) {
    segment->nested_ = reinterpret_cast<const shm::NestedRecords*>(base + layout->nested_offset);
  }
  if (layout->contexts_offset != 0) {
    segment->contexts_ = reinterpret_cast<shm::ConsumedContext*>(base + layout->contexts_offset);
  }
  segment->switches_ = reinterpret_cast<std::uint8_t*>(base + layout->switches_offset);
  segment->dictionary_ = base + layout->dictionary_offset;
  if (!try_lock_byte(fd, shm::kConsumerLockByte)) {
    const shm::ConsumerLine& line = segment->control_->consumer;
    failure->owner_pid = line.pid.load(std::memory_order_relaxed);
    std::memcpy(failure->owner_staging.data(), line.staging_uuid, sizeof line.staging_uuid);
    return fail(AttachError::kOwned, path + " is drained by the consumerd with pid " +
                                         std::to_string(failure->owner_pid));
  }
  segment->ring_mappings_.resize(layout->ring_count);
  return segment;
}

std::uint32_t AttachedSegment::rings_used() const {
  // Pairs with the service's release: metadata and memory of these rings are ready.
  return std::min(control_->service.rings_used.load(std::memory_order_acquire), layout_.ring_count);
}

shm::ConsumedContext* AttachedSegment::consumed_context(std::uint32_t index) const {
  // Pairs with the service's release after it has backed them.
  const std::uint32_t kept = control_->kept_contexts.rings.load(std::memory_order_acquire);
  return contexts_ != nullptr && index < kept ? &contexts_[index] : nullptr;
}

std::uint32_t AttachedSegment::sites_counted() const {
  if (layout_.site_losses_offset == 0) return 0;
  // Pairs with the service's release after it has backed them.
  return std::min(control_->losses.sites_counted.load(std::memory_order_acquire),
                  layout_.site_capacity);
}

bool AttachedSegment::read_site_losses(std::uint32_t first, std::span<std::byte> entries) const {
  const std::uint64_t offset =
      layout_.site_losses_offset + std::uint64_t{first} * sizeof(shm::SiteLosses);
  return pread(fd_.get(), entries.data(), entries.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(entries.size());
}

std::uint32_t AttachedSegment::sites_with_executions() const {
  if (layout_.site_executions_offset == 0) return 0;
  // Pairs with the service's release after it has backed them.
  return std::min(control_->losses.sites_with_executions.load(std::memory_order_acquire),
                  layout_.site_capacity);
}

bool AttachedSegment::read_executions(std::uint32_t first, std::span<std::byte> pages) const {
  const std::uint64_t offset = layout_.site_executions_offset + shm::execution_offset(first, 0);
  return pread(fd_.get(), pages.data(), pages.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(pages.size());
}

bool AttachedSegment::measures_calls() const {
  return layout_.call_costs_offset != 0 && header().cost_sampling != 0;
}

bool AttachedSegment::read_call_costs(std::uint32_t first, std::span<std::byte> entries) const {
  const std::uint64_t offset =
      layout_.call_costs_offset + std::uint64_t{first} * sizeof(shm::CallCosts);
  return pread(fd_.get(), entries.data(), entries.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(entries.size());
}

const std::byte* AttachedSegment::ring_bytes(std::uint32_t index) {
  GuardedRing& ring = ring_mappings_[index];
  if (!ring.mapping && !map_ring(index)) {
    unmap_all_rings();
    if (!map_ring(index)) return nullptr;
  }
  return ring.mapping.data();
}

bool AttachedSegment::write_ring_word(std::uint32_t index, std::uint64_t pos, std::uint64_t word) {
  const std::uint64_t begin = layout_.rings_offset + index * layout_.ring_bytes;
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof word>>(word);
  for (std::size_t i = 0; i < bytes.size(); ++i) {  // the word may wrap around the ring's end
    const auto at = static_cast<off_t>(begin + ((pos + i) & (layout_.ring_bytes - 1)));
    if (pwrite(fd_.get(), &bytes[i], 1, at) != 1) return false;
  }
  return true;
}

bool AttachedSegment::map_ring(std::uint32_t index) {
  GuardedRing& ring = ring_mappings_[index];
  if (!ring.mapping.map(fd_.get(), layout_.rings_offset + index * layout_.ring_bytes,
                        layout_.ring_bytes)) {
    return false;
  }
  ring.guard = GuardedRange(ring.mapping.data(), ring.mapping.mapped_bytes(), &truncated_);
  return true;
}

void AttachedSegment::unmap_all_rings() {
  for (AttachedSegment* const segment : attached_segments()) {
    for (GuardedRing& ring : segment->ring_mappings_) {
      ring.guard = GuardedRange();
      ring.mapping = DoubleMapping();
    }
  }
}

std::uint64_t AttachedSegment::backed_bytes() const {
  struct stat info {};
  return fstat(fd_.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * 512 : 0;
}

bool AttachedSegment::service_alive() const {
  return byte_is_locked(fd_.get(), shm::kServiceLockByte);
}

bool AttachedSegment::service_has_closed() const {
  const auto* const header = static_cast<const shm::SegmentHeader*>(head_.get_address());
  return header->state.load(std::memory_order_relaxed) ==
         static_cast<std::uint32_t>(shm::SegmentState::kClosed);
}

bool AttachedSegment::try_lock_switches() {
  return try_lock_byte(fd_.get(), shm::kSwitchLockByte);
}

void AttachedSegment::unlock_switches() {
  unlock_byte(fd_.get(), shm::kSwitchLockByte);
}

// A service that dies while it creates its segment leaves a file that will never be ready.
bool AttachedSegment::remove_if_abandoned(const struct stat& info) {
  // A live service needs only moments between creating and locking the file.
  constexpr time_t kMakingSeconds = 2;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - info.st_ctim.tv_sec < kMakingSeconds) return false;
  // Takes the service's lock: a service that was stopped in those moments detects the removal by
  // the lock or by the missing name, and creates another segment.
  if (!try_lock_byte(fd_.get(), shm::kServiceLockByte)) return false;
  std::uint32_t version = 0;
  copy_header(fd_.get(), &version);
  if (version != 0) return false;
  unlink_file();
  return true;
}

// Holds the service's lock, so that no service can take it during the removal.
bool AttachedSegment::remove_if_ownerless() {
  if (!try_lock_byte(fd_.get(), shm::kServiceLockByte)) return false;
  return unlink_file();
}

bool AttachedSegment::unlink_file() {
  struct stat ours {};
  struct stat named {};
  // The name may refer to another file by now, which must not be removed.
  if (fstat(fd_.get(), &ours) != 0 || lstat(path_.c_str(), &named) != 0) return true;
  if (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino) return true;
  return unlink(path_.c_str()) == 0 || errno == ENOENT;
}

void AttachedSegment::give_memory_back() {
  struct stat info {};
  // Keeps the size, so that tools that read the file are not disturbed. Its version then reads 0:
  // any process that may remove it does so, as with a file abandoned during creation.
  if (fstat(fd_.get(), &info) != 0) return;
  fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, info.st_size);
}

}  // namespace ringside::consumer
