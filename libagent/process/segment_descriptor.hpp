#pragma once
// The open file of this process's segment. The service owns the table of descriptors: it may close
// ours, and then open another file with the same number. So the number alone is never trusted.

#include <string>

#include <sys/types.h>

namespace ringside {

class SegmentDescriptor {
 public:
  SegmentDescriptor() = default;
  ~SegmentDescriptor() { close_own(); }
  SegmentDescriptor(const SegmentDescriptor&) = delete;
  SegmentDescriptor& operator=(const SegmentDescriptor&) = delete;

  // Creates the file `path` and opens it, at a number that the service's own files do not get;
  // always above those of the standard streams. False with errno.
  bool create(const std::string& path, mode_t mode);

  // A descriptor of this very file: ours or, if it has been lost, the file opened again by its
  // name. -1 with errno if that is impossible; ESTALE if the name refers to another file by now. A
  // number that refers to another file is forgotten, not closed.
  int get();

  // Removes the name of the file, unless it refers to another file by now.
  void remove_name() const;

  // Closes the descriptor if it is still ours.
  void close_own();

 private:
  bool adopt(int fd);
  bool is_ours(int fd) const;

  int fd_ = -1;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace ringside
