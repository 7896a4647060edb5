#pragma once
// A shared mapping of part of a file, unmapped by the destructor.

#include <cstddef>
#include <cstdint>

#include <boost/interprocess/mapped_region.hpp>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

// Maps the same bytes of a file twice, back to back, so that an access beyond the end of the first
// mapping continues at the beginning of the data. Read-only.
class DoubleMapping {
 public:
  DoubleMapping() = default;
  ~DoubleMapping();
  DoubleMapping(DoubleMapping&& other) noexcept;
  DoubleMapping& operator=(DoubleMapping&& other) noexcept;

  // `offset` and `bytes` are multiples of the page. False (errno) if it cannot be mapped.
  bool map(int fd, std::uint64_t offset, std::uint64_t bytes);

  const std::byte* data() const { return base_; }
  std::uint64_t mapped_bytes() const { return base_ == nullptr ? 0 : 2 * bytes_; }
  explicit operator bool() const { return base_ != nullptr; }

 private:
  std::byte* base_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Maps [0, bytes) of an open file for reading and writing. Maps by descriptor, because the path may
// now name a file other than the one that was checked and locked. False with errno on failure.
bool map_front(int fd, std::uint64_t bytes, boost::interprocess::mapped_region* region);

}  // namespace ringside::consumer
