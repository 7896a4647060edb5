// Trace files that are read in turn, of which only a few are open at a time.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/trace_file.hpp"

namespace ringside::trace {

// Any number of sections can overlap in time, but a process may open only some 1,000 files, and an
// open packed file keeps unpacked frames in memory. The file that was not used for the longest time
// is closed, and opened again when it is read. Not thread-safe. Must outlive its files.
class OpenFiles {
 public:
  static constexpr std::size_t kMostOpen = 128;

  // The bound for this process: kMostOpen, or less if its limit of open files is low.
  static std::size_t most_open_here();

  explicit OpenFiles(ReadReport& report, std::size_t most_open = most_open_here());
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  // As TraceFile::open(). A file may be packed at any time: then it is read under its packed name.
  std::unique_ptr<TraceFile> open(const std::string& path, ReadError* error);

 private:
  class Member;

  void close_down_to(std::size_t count);

  ReadReport& report_;
  const std::size_t most_open_;
  std::list<Member*> open_;  // the least recently used one first
};

}  // namespace ringside::trace
