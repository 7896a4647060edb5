#pragma once
// A file of any format, a pipe or a socket, read from front to back once.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ringside::tool {

// Not thread-safe. Memory is that of the largest span asked for and some 256 KiB more.
class InputBytes {
 public:
  // Fills the front of `room`: returns how many bytes, 0 at the end, -1 with errno.
  using Source = std::function<std::ptrdiff_t(std::span<std::byte> room)>;

  // "-" is standard input. Null with `*error` if it cannot be opened.
  static std::unique_ptr<InputBytes> open(const std::string& path, std::string* error);
  // `name` is for messages.
  static std::unique_ptr<InputBytes> of(std::string name, Source source);
  static std::unique_ptr<InputBytes> in_memory(std::string name, std::span<const std::byte> bytes);

  ~InputBytes();
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  const std::string& name() const { return name_; }

  // Where the next byte lies in the input.
  std::uint64_t offset() const { return offset_; }

  // The bytes from offset() on: at least `wanted`, or else all up to the end of the input. Valid
  // until the next call. Whoever asks has checked that `wanted` is not absurd: so much is allocated
  // (as far as the input has it).
  std::span<const std::byte> peek(std::size_t wanted) {
    return end_ - begin_ >= wanted
               ? std::span<const std::byte>(buffer_.get() + begin_, end_ - begin_)
               : fill(wanted);
  }

  // Passes over bytes that peek() has shown.
  void skip(std::size_t bytes);
  // Passes over any number of bytes, fewer if the input ends before; returns how many.
  std::uint64_t pass_over(std::uint64_t bytes);

  bool at_end() { return peek(1).empty(); }

  // Not empty: reading failed there, which then looks like the end.
  const std::string& failure() const { return failure_; }

 private:
  InputBytes(std::string name, Source source, int fd);
  std::span<const std::byte> fill(std::size_t wanted);

  std::string name_;
  Source source_;
  int fd_;  // to be closed, or -1
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
  std::string failure_;
};

}  // namespace ringside::tool
