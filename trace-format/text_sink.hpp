// Collects the pieces of one line before they go to the output string: a string checks and moves
// its end at every append, which for pieces of a few bytes costs more than the bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace ringside::trace {

// Not thread-safe; `out` must outlive it. What is collected reaches `out` with flush(), which the
// owner calls at the end. Allocates only through `out`.
class TextSink {
 public:
  static constexpr std::size_t kBufferBytes = 2048;

  explicit TextSink(std::string& out) : out_(out), end_(buffer_) {}
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  // Room for `bytes` (at most kBufferBytes); the end of what was written there goes to commit().
  char* reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(buffer_ + kBufferBytes - end_) < bytes) flush();
    return end_;
  }

  void commit(char* end) { end_ = end; }

  void put(char character) {
    *reserve(1) = character;
    ++end_;
  }

  void write(std::string_view text) {
    if (text.size() > kBufferBytes) {
      flush();
      out_.append(text);
      return;
    }
    if (text.empty()) return;
    std::memcpy(reserve(text.size()), text.data(), text.size());
    end_ += text.size();
  }

  // For text with kSlack readable bytes behind it: a copy of fixed size needs no call.
  static constexpr std::size_t kSlack = 32;
  void write_padded(const char* text, std::size_t bytes) {
    if (bytes > kSlack) {
      write({text, bytes});
      return;
    }
    std::memcpy(reserve(kSlack), text, kSlack);
    end_ += bytes;
  }

  void fill(char character, std::size_t count) {
    while (count > 0) {
      const std::size_t step = count < kBufferBytes / 2 ? count : kBufferBytes / 2;
      std::memset(reserve(step), character, step);
      end_ += step;
      count -= step;
    }
  }

  void flush() {
    out_.append(buffer_, static_cast<std::size_t>(end_ - buffer_));
    end_ = buffer_;
  }

 private:
  std::string& out_;
  char* end_;
  char buffer_[kBufferBytes];
};

}  // namespace ringside::trace
