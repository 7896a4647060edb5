// The bytes of a trace, read by position: from a plain file, a packed one or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace-format/blocks/read_report.hpp"

namespace ringside::trace {

// Not thread-safe.
class TraceFile {
 public:
  // A plain file, or a packed one (README.md, "Packed files"), according to its first bytes. Null
  // with `*error` if `path` is not a readable regular file, or is packed in a way that cannot be
  // read in parts. `report`, if any, must outlive the file or be replaced by report_to().
  static std::unique_ptr<TraceFile> open(const std::string& path, ReadError* error,
                                         ReadReport* report = nullptr);

  // The plain bytes of a trace, with a name for messages.
  static std::unique_ptr<TraceFile> in_memory(std::string name, std::vector<std::byte> bytes);

  virtual ~TraceFile() = default;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // when it was opened, or at the last look_again()

  // Reads up to bytes.size() bytes at `offset`; returns how many. Fewer at the end of the file, and
  // after an error of the device, which is treated like the end.
  virtual std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) = 0;

  // Updates the size.
  virtual void look_again() {}

  // Fetched bytes, and packed frames that cannot be restored, are counted in `report` after this
  // call.
  virtual void report_to(ReadReport* report) { report_ = report; }

 protected:
  TraceFile(std::string path, std::uint64_t size) : path_(std::move(path)), size_(size) {}
  void set_size(std::uint64_t size) { size_ = size; }
  ReadReport* report() const { return report_; }
  void count(std::size_t bytes) {
    if (report_ != nullptr) report_->bytes_read += bytes;
  }

 private:
  std::string path_;
  std::uint64_t size_;
  ReadReport* report_ = nullptr;
};

}  // namespace ringside::trace
