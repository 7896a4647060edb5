#pragma once
// The files of a directory at one moment, to be restored later.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::consumer_test {

class DirectoryImage {
 public:
  explicit DirectoryImage(const std::string& dir);
  // Restores the content of the directory in new files, and removes everything else.
  void put_back() const;

 private:
  struct File {
    std::uint64_t bytes = 0;
    unsigned mode = 0;
    std::map<std::uint64_t, std::vector<char>> pages;  // pages that are not all zeros, by offset
  };
  std::string dir_;
  std::map<std::string, File> files_;
};

}  // namespace ringside::consumer_test
