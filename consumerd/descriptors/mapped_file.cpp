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

bool DoubleMapping::map(int fd, std::uint64_t offset, std::uint64_t bytes) {
  // Directly, because Boost.Interprocess cannot reserve addresses without memory.
  void* const place =
      mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  auto* const base = static_cast<std::byte*>(place);
  std::array<bip::mapped_region, 2> halves;  // each unmaps its part of the reservation
  for (std::uint64_t half = 0; half < halves.size(); ++half) {
    try {
      halves[half] =
          bip::mapped_region(OpenFile(fd), bip::read_only, static_cast<bip::offset_t>(offset),
                             static_cast<std::size_t>(bytes), base + half * bytes, MAP_FIXED);
    } catch (const bip::interprocess_exception& error) {
      munmap(base + half * bytes, (halves.size() - half) * bytes);
      halves[0] = bip::mapped_region();
      errno = error.get_native_error();
      return false;
    }
  }
  halves_ = std::move(halves);
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
