#pragma once
// The file of a live segment, opened to change words of its control page. It is never mapped: a
// file that is truncated gives a short read.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "shm-layout/segment_layout.hpp"

namespace ringside::tool {

// For wait_for_consumer(): how long after the start of a tool.
constexpr auto kConsumerOnItsWay = std::chrono::seconds(1);

class WritableSegment {
 public:
  // Null with `*why` if it cannot be changed; without `*why` if it is not ready yet, or gone.
  static std::unique_ptr<WritableSegment> open(const std::string& path, std::string* why);

  ~WritableSegment();  // also releases its locks
  WritableSegment(const WritableSegment&) = delete;
  WritableSegment& operator=(const WritableSegment&) = delete;

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }
  const shm::SegmentLayout& layout() const { return layout_; }
  std::uint32_t pid() const { return pid_; }
  std::uint64_t tick_hz() const { return tick_hz_; }
  bool overwritten() const { return overwritten_; }
  bool has_consumer() const;
  // Whether it has a consumer before `deadline`. A consumerd that was just started, or a segment
  // that was just created, is on its way: without this wait, a tool started beside them would fail.
  bool wait_for_consumer(std::chrono::steady_clock::time_point deadline) const;
  bool service_alive() const;

  // False with `*why`: the file was truncated.
  bool read(std::uint64_t offset, void* out, std::size_t bytes, std::string* why) const;
  // False with `*why`: it cannot be written, or was truncated. In practice the kernel copies an
  // aligned word in one access; its system calls order the writes.
  bool write(std::uint64_t offset, const void* bytes, std::size_t size, std::string* why) const;

 private:
  WritableSegment() = default;
  bool is_whole(std::string* why) const;

  int fd_ = -1;
  std::string path_;
  shm::SegmentLayout layout_{};
  std::uint32_t pid_ = 0;
  std::uint64_t tick_hz_ = 0;
  bool overwritten_ = false;
};

}  // namespace ringside::tool
