#pragma once
// A file of any format, a pipe or a socket, read once from front to back.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace ringside::tool {

// Not thread-safe. Memory: the largest span requested plus about 256 KiB.
class InputBytes {
 public:
  static constexpr std::size_t kReadBytes = std::size_t{256} << 10;

  // Fills the front of `room`; returns the number of bytes, 0 at the end, -1 with errno on failure.
  using Source = std::function<std::ptrdiff_t(std::span<std::byte> room)>;

  // "-" is standard input. Null with `*error` on failure.
  static std::unique_ptr<InputBytes> open(const std::string& path, std::string* error);
  // `name` is for messages.
  static std::unique_ptr<InputBytes> of(std::string name, Source source,
                                        std::size_t read_bytes = kReadBytes);
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

  // The same for whatever is here, at most `most`: waits only if nothing is.
  std::span<const std::byte> peek_some(std::size_t most) {
    const std::span<const std::byte> here = peek(1);
    return here.first(std::min(here.size(), most));
  }

  // Skips bytes that peek() has returned.
  void skip(std::size_t bytes);
  // Skips any number of bytes, fewer if the input ends first; returns the number skipped.
  std::uint64_t pass_over(std::uint64_t bytes);

  bool at_end() { return peek(1).empty(); }

  // The same, but fewer if the sender pauses and there is at least one.
  std::span<const std::byte> peek_until_pause(std::size_t wanted);

  enum class Wait : std::uint8_t {
    kRead,   // the source has bytes, or has ended
    kPause,  // the sender pauses; only if `may_pause`
    kEnd,    // the input ends here
  };
  // `wait` is called before each read of the source, and waits for it.
  void before_reading(std::function<Wait(bool may_pause)> wait) { wait_ = std::move(wait); }
  // For poll(2); -1: the input is not a descriptor.
  int descriptor() const { return descriptor_; }
  // Whether the bytes come from a sender that can pause: not to be read ahead without need.
  bool is_live() const { return wait_ != nullptr; }

  // Not empty: reading failed here, which otherwise looks like the end of the input.
  const std::string& failure() const { return failure_; }

 private:
  InputBytes(std::string name, Source source, std::size_t read_bytes);
  std::span<const std::byte> fill(std::size_t wanted);

  std::string name_;
  Source source_;
  int descriptor_ = -1;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
  std::string failure_;
  bool closes_ = false;  // the descriptor
  bool may_pause_ = false;
  std::size_t read_bytes_;
  std::function<Wait(bool may_pause)> wait_;
};

}  // namespace ringside::tool
