#pragma once
// The files of a directory as they are at one moment, to be put back later.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::consumer_test {

class DirectoryImage {
 public:
  explicit DirectoryImage(const std::string& dir);
  // The directory then holds what it held, in new files, and nothing else.
  void put_back() const;

 private:
  struct File {
    std::uint64_t bytes = 0;
    unsigned mode = 0;
    std::map<std::uint64_t, std::vector<char>> pages;  // those that are not all zeros, by offset
  };
  std::string dir_;
  std::map<std::string, File> files_;
};

}  // namespace ringside::consumer_test
