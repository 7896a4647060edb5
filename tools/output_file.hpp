#pragma once
// A file that is there whole or not at all.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ringside::tool {

// Written under a temporary name beside it ("PATH.XXXXXX"), which goes away again unless commit()
// gives it its own.
class OutputFile {
 public:
  static constexpr std::size_t kGatheredBytes = std::size_t{1} << 20;

  struct How {
    bool replace = false;  // a file that has the name already
    unsigned mode = 0640;  // its permissions
  };

  // Null with `*error` if it is there already and not to be replaced, or cannot be created.
  static std::unique_ptr<OutputFile> create(const std::string& path, const How& how,
                                            std::string* error);

  // A file without a name, in $TMPDIR or /tmp, which goes with the last that has it open. Null with
  // `*error` if it cannot be made. What is written is read at readable_path(); never commit() it.
  // So many bytes are gathered in memory before they are written; 0: none.
  static std::unique_ptr<OutputFile> create_unnamed(std::string* error,
                                                    std::size_t gathered_bytes = kGatheredBytes);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // False if that or anything before failed; commit() says why.
  bool write(std::span<const std::byte> bytes);

  // The same in place of bytes that were written.
  bool overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

  // Makes it durable and gives it its name. False with `*error` if anything failed since create().
  bool commit(std::string* error);

  // Of a file without a name, once everything is written: a path under which this process can open
  // it. Empty with `*error` if writing failed.
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

// Permissions for a file made of this one: nobody may read more than before. 0640 if there is none.
unsigned mode_like(const std::string& path);

}  // namespace ringside::tool
