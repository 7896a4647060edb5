#pragma once
// A shared mapping of part of a file, unmapped by the destructor.

#include <array>
#include <cstddef>
#include <cstdint>

#include <boost/interprocess/mapped_region.hpp>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

// Maps the same bytes of a file twice, back to back, so that an access beyond the end of the first
// mapping continues at the beginning of the data. Read-only.
class DoubleMapping {
 public:
  // `offset` and `bytes` are multiples of the page. False (errno) if it cannot be mapped.
  bool map(int fd, std::uint64_t offset, std::uint64_t bytes);

  const std::byte* data() const { return static_cast<const std::byte*>(halves_[0].get_address()); }
  std::uint64_t mapped_bytes() const { return halves_[0].get_size() + halves_[1].get_size(); }
  explicit operator bool() const { return data() != nullptr; }

 private:
  std::array<boost::interprocess::mapped_region, 2> halves_;
};

// Maps [0, bytes) of an open file for reading and writing. Maps by descriptor, because the path may
// now name a file other than the one that was checked and locked. False with errno on failure.
bool map_front(int fd, std::uint64_t bytes, boost::interprocess::mapped_region* region);

}  // namespace ringside::consumer
