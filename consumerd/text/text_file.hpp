#pragma once
// The text file of one service: appending at a known length, rotation, retention.

#include <cstdint>
#include <string>
#include <string_view>

#include "consumerd/configuration/text_policy.hpp"
#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

// `<dir>/<service>.log`, mode 0640, written by one process only, which holds a lock on it. Rotated
// files are `<service>.<number>.log`; the highest number is the newest. Symbolic links are never
// followed. Not thread-safe.
class TextFile {
 public:
  TextFile(std::string dir, std::string service);

  // Opens the file, or creates it. If it is the one with this device and inode, everything after
  // its first `bytes` bytes is removed. False with `*why`.
  bool open(std::uint64_t device, std::uint64_t inode, std::uint64_t bytes, std::string* why);
  bool is_open() const { return static_cast<bool>(fd_); }
  // Whether the name still leads to the open file. If not, it was moved or removed: open the next.
  bool has_name() const;
  void close() { fd_.reset(); }

  // Appends the text from its byte `*written` on, and counts in `*written`. False with `*why` if
  // not all of it was written: call again with the rest.
  bool append(std::string_view text, std::size_t* written, std::string* why);

  // Gives the file the next number. Afterwards it is closed. False with `*why`; then it is still
  // open.
  bool rotate(std::string* why);
  // Removes the oldest rotated files beyond the limits. False with `*why`.
  bool remove_surplus(const TextPolicy& policy, std::string* why) const;

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t device() const { return device_; }
  std::uint64_t inode() const { return inode_; }
  std::string path() const { return dir_ + "/" + name_; }

 private:
  const std::string dir_;
  const std::string service_;
  const std::string name_;
  UniqueFd fd_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace ringside::consumer
