#pragma once
// The files of one segment in the output directory: which one to continue, and the next one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "consumerd/descriptors/unique_fd.hpp"
#include "shm-layout/segment_header.hpp"
#include "trace-format/blocks/writer_lock.hpp"

namespace ringside::consumer {

// Lock of a trace file: held by the consumerd that writes the file, as long as it does, and by a
// process that packs or removes it.
inline constexpr std::int64_t kTraceFileLockByte = trace::kWriterLockByte;

// A trace file that is open for writing and locked.
struct OutputFile {
  UniqueFd fd;
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t sequence = 0;
  std::uint64_t bytes = 0;  // its length when it was opened
};

// What a segment states about its trace files, in any directory.
struct FilesBefore {
  // The segment has no file yet: if that is true, the directory, which may be large, is not read.
  bool none = false;
  // The number after that of the newest file; 0: unknown. A file with a lower number is not
  // continued: there is a newer one in another directory, and readers order files by number.
  std::uint32_t next_sequence = 0;
};

// Opens the newest file of `stem` if it belongs to this segment and can be continued; otherwise a
// new, empty file with the next number. False with `why` (what, where, remedy) if neither can be
// opened.
bool open_newest_output(const std::string& output_dir, const std::string& stem,
                        const shm::SegmentHeader& segment, const FilesBefore& before,
                        OutputFile* file, std::string* why);

// The bytes at the beginning of the file with this sequence number.
using SectionFront = std::function<std::vector<std::byte>(std::uint32_t sequence)>;

// Creates a file with the first free sequence number, starting at `sequence`. It gets its name once
// its front is written. On failure returns false with `why`, and no file is left.
bool create_output(const std::string& output_dir, const std::string& stem, std::uint32_t sequence,
                   const SectionFront& front, OutputFile* file, std::string* why);

}  // namespace ringside::consumer
