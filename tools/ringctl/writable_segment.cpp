#include "tools/ringctl/writable_segment.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shm-layout/abi_version.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {

WritableSegment::~WritableSegment() {
  if (fd_ >= 0) close(fd_);
}

bool WritableSegment::read(std::uint64_t offset, void* out, std::size_t bytes,
                           std::string* why) const {
  if (pread(fd_, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes)) {
    return true;
  }
  *why = path_ + " was truncated";
  return false;
}

bool WritableSegment::write(std::uint64_t offset, const void* bytes, std::size_t size,
                            std::string* why) const {
  if (pwrite(fd_, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size)) {
    return true;
  }
  *why = "cannot write to " + path_ + ": " + error_text(errno);
  return false;
}

std::unique_ptr<WritableSegment> WritableSegment::open(const std::string& path, std::string* why) {
  why->clear();
  std::unique_ptr<WritableSegment> segment(new WritableSegment);
  segment->path_ = path;
  const auto refuse = [&](std::string what) {
    *why = std::move(what);
    return nullptr;
  };
  struct stat info {};
  // Checked before opening, because opening has effects on some devices.
  if (lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return refuse(path + " is not a segment; remove it");
  }
  segment->fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (segment->fd_ < 0) {
    if (errno == ENOENT) return nullptr;
    return refuse(
        fmt::format("cannot open {}: {}; run as its owner, or as a member of its group if its mode "
                    "allows the group to write",
                    path, error_text(errno)));
  }
  const auto header = std::make_unique<shm::SegmentHeader>();
  if (fstat(segment->fd_, &info) != 0 || !S_ISREG(info.st_mode) ||
      !segment->read(0, static_cast<void*>(header.get()), sizeof *header, why)) {
    return refuse(path + " is not a segment; remove it");
  }
  const std::uint32_t version = header->version.load(std::memory_order_relaxed);
  if (version == 0) return nullptr;
  if (header->magic != shm::kSegmentMagic || header->byte_order_mark != shm::kByteOrderMark ||
      shm::abi_major(version) != shm::kAbiMajor) {
    return refuse(fmt::format(
        "{} has ABI version {}.{} or is not a segment of a Ringside service; this tool supports "
        "{}.{}; use the tool of the service's release",
        path, shm::abi_major(version), shm::abi_minor(version), shm::kAbiMajor, shm::kAbiMinor));
  }
  const auto layout = shm::read_layout(*header, static_cast<std::uint64_t>(info.st_size));
  if (!layout)
    return refuse(
        path +
        " is damaged: its layout does not match its size; remove it when no service uses it");
  segment->layout_ = *layout;
  segment->pid_ = header->pid;
  segment->tick_hz_ = header->tsc_frequency_hz;
  segment->overwritten_ = header->sub_buffer_bytes != 0;
  return segment;
}

bool WritableSegment::service_alive() const {
  return is_byte_locked(fd_, shm::kServiceLockByte);
}

bool WritableSegment::has_consumer() const {
  return is_byte_locked(fd_, shm::kConsumerLockByte);
}

}  // namespace ringside::tool
