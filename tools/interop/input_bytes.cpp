#include "tools/interop/input_bytes.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ringside::tool {

InputBytes::InputBytes(std::string name, Source source, std::size_t read_bytes)
    : name_(std::move(name)), source_(std::move(source)), read_bytes_(read_bytes) {}

InputBytes::~InputBytes() {
  if (closes_) ::close(descriptor_);
}

std::unique_ptr<InputBytes> InputBytes::open(const std::string& path, std::string* error) {
  const bool is_standard = path == "-";
  // O_NONBLOCK: opening a FIFO by mistake must not wait for a writer. Reading still waits for data.
  const int fd =
      is_standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    *error = path + ": cannot be opened: " + std::generic_category().message(errno) +
             "; check the path and its permissions";
    return nullptr;
  }
  if (!is_standard) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  const auto source = [fd](std::span<std::byte> room) {
    return ::read(fd, room.data(), room.size());
  };
  auto input = of(is_standard ? "standard input" : path, source);
  input->descriptor_ = fd;
  input->closes_ = !is_standard;
  return input;
}

std::unique_ptr<InputBytes> InputBytes::of(std::string name, Source source,
                                           std::size_t read_bytes) {
  return std::unique_ptr<InputBytes>(
      new InputBytes(std::move(name), std::move(source), read_bytes));
}

std::unique_ptr<InputBytes> InputBytes::in_memory(std::string name,
                                                  std::span<const std::byte> bytes) {
  return of(std::move(name), [bytes](std::span<std::byte> room) mutable {
    const std::size_t count = std::min(room.size(), bytes.size());
    if (count != 0) std::memcpy(room.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    return static_cast<std::ptrdiff_t>(count);
  });
}

std::span<const std::byte> InputBytes::fill(std::size_t wanted) {
  while (end_ - begin_ < wanted && !ended_) {
    if (wait_ != nullptr) {
      const Wait result = wait_(may_pause_);
      ended_ = result == Wait::kEnd;
      if (result != Wait::kRead) break;
    }
    if (capacity_ - end_ < read_bytes_) {
      // Grows by what has arrived, not by what is requested: the request may come from an invalid
      // length.
      const std::size_t held = end_ - begin_;
      const std::size_t needed = 2 * std::max(held, read_bytes_);
      if (begin_ >= held && capacity_ - held >= read_bytes_) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, held);
      } else {
        auto larger = std::make_unique_for_overwrite<std::byte[]>(needed + read_bytes_);
        if (held != 0) std::memcpy(larger.get(), buffer_.get() + begin_, held);
        buffer_ = std::move(larger);
        capacity_ = needed + read_bytes_;
      }
      begin_ = 0;
      end_ = held;
    }
    const std::ptrdiff_t got = source_(std::span(buffer_.get() + end_, capacity_ - end_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failure_ = std::generic_category().message(errno);
    ended_ = got <= 0;
    if (got > 0) end_ += static_cast<std::size_t>(got);
  }
  return {buffer_.get() + begin_, end_ - begin_};
}

std::span<const std::byte> InputBytes::peek_until_pause(std::size_t wanted) {
  peek(1);
  may_pause_ = true;
  const std::span<const std::byte> bytes = peek(wanted);
  may_pause_ = false;
  return bytes;
}

void InputBytes::skip(std::size_t bytes) {
  assert(bytes <= end_ - begin_);
  begin_ += bytes;
  offset_ += bytes;
}

std::uint64_t InputBytes::pass_over(std::uint64_t bytes) {
  std::uint64_t passed = 0;
  while (passed < bytes) {
    const std::size_t here = peek(1).size();
    if (here == 0) break;
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(here, bytes - passed));
    skip(step);
    passed += step;
  }
  return passed;
}

}  // namespace ringside::tool
