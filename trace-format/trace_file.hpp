// A file that is read by position. Never mapped: a file that shrinks must not raise SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "trace-format/read_report.hpp"

namespace ringside::trace {

class TraceFile {
 public:
  // Null with `*error` if `path` is no readable regular file.
  static std::unique_ptr<TraceFile> open(const std::string& path, ReadError* error);

  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // when it was opened

  // Reads up to bytes.size() bytes at `offset`; returns how many. Fewer at the end of the file, and
  // after an error of the device, which then reads like the end.
  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  TraceFile(std::string path, int fd, std::uint64_t size);
  std::string path_;
  int fd_;
  std::uint64_t size_;
};

}  // namespace ringside::trace
