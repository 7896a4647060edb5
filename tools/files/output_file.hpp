#pragma once
// An output file that appears complete or not at all.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ringside::tool {

// Written under a temporary name in the same directory ("PATH.XXXXXX"), and removed unless commit()
// gives it its final name.
class OutputFile {
 public:
  static constexpr std::size_t kGatheredBytes = std::size_t{1} << 20;

  struct How {
    bool replace = false;  // replaces an existing file of this name
    unsigned mode = 0640;  // permissions of the file
  };

  // Null with `*error` if the file exists and must not be replaced, or cannot be created.
  static std::unique_ptr<OutputFile> create(const std::string& path, const How& how,
                                            std::string* error);

  // A file without a name, in $TMPDIR or /tmp, which disappears when it is closed everywhere. Null
  // with `*error` if it cannot be created. The data can be read at readable_path(); never commit()
  // it. `gathered_bytes` are gathered in memory before each write; 0: none.
  static std::unique_ptr<OutputFile> create_unnamed(std::string* error,
                                                    std::size_t gathered_bytes = kGatheredBytes);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // False if this or an earlier call failed; commit() gives the reason.
  bool write(std::span<const std::byte> bytes);

  // Whether anything failed since create(); sets `*error` then.
  bool has_failed(std::string* error) const;

  // Replaces bytes that were written.
  bool overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

  // Frees the space of the bytes from `begin` to `end`, which then read as zeros, where the file
  // system permits it.
  void release(std::uint64_t begin, std::uint64_t end);

  // Makes the file durable and gives it its name. False with `*error` if anything failed since
  // create().
  bool commit(std::string* error);

  // For a file without a name, after the last write: a path under which this process can open it.
  // Empty with `*error` if writing failed.
  std::string readable_path(std::string* error);

  std::uint64_t bytes() const { return bytes_; }

 private:
  OutputFile(std::string path, std::string temporary, int fd, bool replace,
             std::size_t gathered_bytes);
  bool flush();
  bool put(std::span<const std::byte> left);
  bool give_name();
  std::string failure() const;

  std::string path_;
  std::string temporary_;
  int fd_;
  bool replace_;
  std::size_t gathered_bytes_;
  int error_ = 0;  // errno of the first failure
  std::uint64_t bytes_ = 0;
  std::vector<std::byte> buffer_;
};

// Permissions for a file created from this one: no user may read more than before. 0640 if there is
// no such file.
unsigned mode_like(const std::string& path);

}  // namespace ringside::tool
