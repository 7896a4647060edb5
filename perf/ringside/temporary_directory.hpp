#pragma once
// A new directory that the destructor removes with its contents.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace ringside::perf {

class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent) : path_(parent + "/ringside-perf.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }  // empty: could not be created

 private:
  std::string path_;
};

}  // namespace ringside::perf
