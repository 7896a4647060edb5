#pragma once
// A file of any format, a pipe or a socket, read once from front to back.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ringside::tool {

// Not thread-safe. Memory: the largest span requested plus about 256 KiB.
class InputBytes {
 public:
  // Fills the front of `room`; returns the number of bytes, 0 at the end, -1 with errno on failure.
  using Source = std::function<std::ptrdiff_t(std::span<std::byte> room)>;

  // "-" is standard input. Null with `*error` on failure.
  static std::unique_ptr<InputBytes> open(const std::string& path, std::string* error);
  // `name` is for messages.
  static std::unique_ptr<InputBytes> of(std::string name, Source source);
  static std::unique_ptr<InputBytes> in_memory(std::string name, std::span<const std::byte> bytes);

  ~InputBytes();
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  const std::string& name() const { return name_; }

  // The position of the next byte in the input.
  std::uint64_t offset() const { return offset_; }

  // The bytes from offset() on: at least `wanted`, or all up to the end of the input if that is
  // less. Valid until the next call. The caller must have checked that `wanted` is reasonable: this
  // much is allocated, as far as the input has it.
  std::span<const std::byte> peek(std::size_t wanted) {
    return end_ - begin_ >= wanted
               ? std::span<const std::byte>(buffer_.get() + begin_, end_ - begin_)
               : fill(wanted);
  }

  // Skips bytes that peek() has returned.
  void skip(std::size_t bytes);
  // Skips any number of bytes, fewer if the input ends first; returns the number skipped.
  std::uint64_t pass_over(std::uint64_t bytes);

  bool at_end() { return peek(1).empty(); }

  // Not empty: reading failed here, which otherwise looks like the end of the input.
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
