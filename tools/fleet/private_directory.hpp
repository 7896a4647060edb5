#pragma once
// A directory that only this user can read, below TMPDIR, for as long as its process lives.

#include <memory>
#include <string>

namespace ringside::fleet {

class PrivateDirectory {
 public:
  // Before that, removes those of processes that were killed. Null with `*why` if it cannot be
  // created.
  static std::unique_ptr<PrivateDirectory> create(std::string* why);
  // Removes it with what is in it.
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  PrivateDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // the directory itself, locked: it is in use
};

}  // namespace ringside::fleet
