#pragma once
// The files that a tracer has written into its folder.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/vfs.h>

namespace ringside::perf {

struct Written {
  std::uint64_t tsc = 0;  // when the records were in the files
  double share = 1;       // the share of all logged records that were in the files then
};

inline std::uintmax_t size_of_folder(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::error_code gone;
    if (entry.is_regular_file(gone)) bytes += entry.file_size(gone);
  }
  return bytes;
}

inline std::uint64_t lines_in_folder(const std::string& folder) {
  std::uint64_t lines = 0;
  std::vector<char> block(1U << 20);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
      lines +=
          static_cast<std::uint64_t>(std::count(block.data(), block.data() + file.gcount(), '\n'));
    }
  }
  return lines;
}

// Each record has one line; extra lines, such as a header, do not matter.
inline std::uint64_t missing_lines(const std::string& folder, std::uint64_t logged) {
  const std::uint64_t lines = lines_in_folder(folder);
  return lines < logged ? logged - lines : 0;
}

inline bool is_in_memory(const std::string& folder) {
  constexpr long kTmpfsMagic = 0x01021994;
  struct statfs info {};
  return statfs(folder.c_str(), &info) == 0 && info.f_type == kTmpfsMagic;
}

}  // namespace ringside::perf
