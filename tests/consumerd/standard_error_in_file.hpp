#pragma once
// Makes standard error a regular file during its lifetime. A log that finds a pipe there opens it
// itself, and would miss what GoogleTest puts in its place later.

#include <unistd.h>

#include <sys/mman.h>

namespace ringside::consumer_test {

class StandardErrorInFile {
 public:
  StandardErrorInFile() : saved_(dup(STDERR_FILENO)) {
    const int file = memfd_create("stderr", MFD_CLOEXEC);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~StandardErrorInFile() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }
  StandardErrorInFile(const StandardErrorInFile&) = delete;
  StandardErrorInFile& operator=(const StandardErrorInFile&) = delete;

 private:
  int saved_;
};

}  // namespace ringside::consumer_test
