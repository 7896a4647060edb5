#include "consumerd/descriptors/mapped_file.hpp"

#include <cerrno>
#include <utility>

#include <boost/interprocess/detail/os_file_functions.hpp>
#include <boost/interprocess/exceptions.hpp>
#include <sys/mman.h>

namespace ringside::consumer {

namespace bip = boost::interprocess;

namespace {

// An object that boost can map: it needs only the descriptor.
class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  bip::mapping_handle_t get_mapping_handle() const {
    return bip::ipcdetail::mapping_handle_from_file_handle(fd_);
  }

 private:
  int fd_;
};

}  // namespace

DoubleMapping::~DoubleMapping() {
  if (base_ != nullptr) munmap(base_, 2 * bytes_);
}

DoubleMapping::DoubleMapping(DoubleMapping&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_) {}

DoubleMapping& DoubleMapping::operator=(DoubleMapping&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

bool DoubleMapping::map(int fd, std::uint64_t offset, std::uint64_t bytes) {
  void* const place =
      mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  auto* const base = static_cast<std::byte*>(place);
  for (std::uint64_t half = 0; half < 2; ++half) {
    if (mmap(base + half * bytes, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
             static_cast<off_t>(offset)) == MAP_FAILED) {
      const int error = errno;
      munmap(place, 2 * bytes);
      errno = error;
      return false;
    }
  }
  base_ = base;
  bytes_ = bytes;
  return true;
}

bool map_front(int fd, std::uint64_t bytes, bip::mapped_region* region) {
  try {
    *region = bip::mapped_region(OpenFile(fd), bip::read_write, 0, static_cast<std::size_t>(bytes));
    return true;
  } catch (const bip::interprocess_exception& error) {
    errno = error.get_native_error();
    return false;
  }
}

}  // namespace ringside::consumer
