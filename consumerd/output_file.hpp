#pragma once
// The files of one segment in the output directory: which one to go on with, and the next one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "consumerd/unique_fd.hpp"
#include "shm-layout/segment_header.hpp"

namespace ringside::consumer {

// Of a trace file: held by the consumerd that writes it, for as long as it does, and by one that
// packs or removes it.
inline constexpr std::int64_t kTraceFileLockByte = 0;

// A trace file that is open for writing and locked.
struct OutputFile {
  UniqueFd fd;
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t sequence = 0;
  std::uint64_t bytes = 0;  // its length when it was opened
};

// The newest file of `stem` if it is one of this segment that can go on; else a new, empty one
// behind it. False with `why` (what, where, remedy) if neither can be opened. `fresh`: the segment
// says that it has none yet; if that is so, the directory, which may be large, is not read.
bool open_newest_output(const std::string& output_dir, const std::string& stem,
                        const shm::SegmentHeader& segment, bool fresh, OutputFile* file,
                        std::string* why);

// What stands at the beginning of the file with this sequence number.
using SectionFront = std::function<std::vector<std::byte>(std::uint32_t sequence)>;

// A new file with the first free sequence number from `sequence` on. It gets its name when its
// front is in it. False with `why`, and without a file, if that fails.
bool create_output(const std::string& output_dir, const std::string& stem, std::uint32_t sequence,
                   const SectionFront& front, OutputFile* file, std::string* why);

}  // namespace ringside::consumer
