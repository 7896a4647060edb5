#include "tools/ringctl/writable_segment.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shm-layout/abi_version.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/live/truncation_text.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr auto kConsumerPause = std::chrono::milliseconds(2);

// The accesses of two system calls keep their order on x86 only. Between two writes this is the
// release, between two reads the acquire, and between a write and a read the fence that
// shm-layout/switch_change.hpp and shm-layout/README.md require of a tool.
void order_accesses() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

WritableSegment::~WritableSegment() {
  if (fd_ >= 0) close(fd_);
}

bool WritableSegment::is_whole(std::string* why) const {
  struct stat info {};
  if (fstat(fd_, &info) == 0 && static_cast<std::uint64_t>(info.st_size) >= layout_.segment_bytes) {
    return true;
  }
  *why = truncation_text(path_, static_cast<std::uint64_t>(info.st_size), layout_.segment_bytes);
  return false;
}

bool WritableSegment::read(std::uint64_t offset, void* out, std::size_t bytes,
                           std::string* why) const {
  const bool is_read =
      pread(fd_, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  order_accesses();
  if (!is_whole(why)) return false;
  if (!is_read) *why = "cannot read " + path_ + ": " + error_text(errno);
  return is_read;
}

bool WritableSegment::write(std::uint64_t offset, const void* bytes, std::size_t size,
                            std::string* why) const {
  // Before too: a write after the end would make the file longer.
  if (!is_whole(why)) return false;
  order_accesses();
  const bool is_written =
      pwrite(fd_, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  order_accesses();
  if (is_written) return is_whole(why);
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
  if (fstat(segment->fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    return refuse(path + " is not a segment; remove it");
  }
  const auto header = std::make_unique<shm::SegmentHeader>();
  const auto is_copied = [&] {
    const ssize_t bytes = pread(segment->fd_, static_cast<void*>(header.get()), sizeof *header, 0);
    order_accesses();
    return bytes == static_cast<ssize_t>(sizeof *header);
  };
  // Twice: the rest is complete in a copy that begins after the version was read.
  bool copied = is_copied();
  const std::uint32_t version = header->version.load(std::memory_order_relaxed);
  copied = copied && is_copied();
  if (!copied) {
    return refuse(
        path +
        " is shorter than the header of a segment: its service is creating it or died before it "
        "was complete, or another process truncated it; try again, or remove it if no service "
        "uses it");
  }
  if (version == 0) return nullptr;
  if (header->magic != shm::kSegmentMagic || header->byte_order_mark != shm::kByteOrderMark ||
      shm::abi_major(version) != shm::kAbiMajor) {
    return refuse(fmt::format(
        "{} has ABI version {}.{} or is not a segment of a Ringside service; this tool supports "
        "{}.{}; use the tool of the service's release",
        path, shm::abi_major(version), shm::abi_minor(version), shm::kAbiMajor, shm::kAbiMinor));
  }
  const auto file_bytes = static_cast<std::uint64_t>(info.st_size);
  const auto layout = shm::read_layout(*header, std::max(file_bytes, header->segment_bytes));
  if (!layout) {
    return refuse(
        path +
        " is damaged: its layout does not match its size; remove it when no service uses it");
  }
  if (file_bytes < layout->segment_bytes) {
    return refuse(truncation_text(path, file_bytes, layout->segment_bytes));
  }
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

bool WritableSegment::wait_for_consumer(std::chrono::steady_clock::time_point deadline) const {
  while (!has_consumer()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kConsumerPause);
  }
  return true;
}

}  // namespace ringside::tool
