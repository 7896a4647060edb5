#pragma once
// A shared mapping of part of a file, unmapped at the end of its life.

#include <cstddef>
#include <cstdint>

#include <boost/interprocess/mapped_region.hpp>

#include "consumerd/unique_fd.hpp"

namespace ringside::consumer {

// Two copies of the same bytes of a file, back to back, so that what runs over the end of the
// first goes on in the second. Read-only.
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

// Maps [0, bytes) of an open file for reading and writing: by its descriptor, because a path may
// name another file than the one that was checked and locked. False with errno if that fails.
bool map_front(int fd, std::uint64_t bytes, boost::interprocess::mapped_region* region);

}  // namespace ringside::consumer
