// Builds text in memory that grows, from pieces of a few bytes. (A string checks and moves its end
// at every append, which costs more than the bytes for such pieces.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace ringside::trace {

// Not thread-safe. Memory is kept until the sink is destroyed.
class TextSink {
 public:
  TextSink() = default;
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  std::string_view text() const { return {memory_.get(), size()}; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - memory_.get()); }
  void clear() { end_ = memory_.get(); }

  // Room for `bytes`; pass the end of the written bytes to commit(). Valid until the next call.
  char* reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - end_) < bytes) grow(bytes);
    return end_;
  }

  void commit(char* end) { end_ = end; }

  // Removes the last `bytes`.
  void take_back(std::size_t bytes) { end_ -= bytes; }

  void put(char character) {
    *reserve(1) = character;
    ++end_;
  }

  void write(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(reserve(text.size()), text.data(), text.size());
    end_ += text.size();
  }

  // For text that is followed by kSlack readable bytes: a copy of fixed size needs no call.
  static constexpr std::size_t kSlack = 64;
  void write_padded(const char* text, std::size_t bytes) {
    char* const to = reserve(bytes + kSlack);
    std::memcpy(to, text, kSlack);
    if (bytes > kSlack) std::memcpy(to + kSlack, text + kSlack, bytes - kSlack);
    end_ += bytes;
  }

  void fill(char character, std::size_t count) {
    if (count == 0) return;  // an empty sink may have no memory
    std::memset(reserve(count), character, count);
    end_ += count;
  }

 private:
  [[gnu::noinline]] void grow(std::size_t bytes) {
    constexpr std::size_t kFirstBytes = 4096;
    const std::size_t used = size();
    const std::size_t wanted = std::max(2 * (used + bytes), kFirstBytes);
    std::unique_ptr<char[]> larger(new char[wanted]);
    if (used != 0) std::memcpy(larger.get(), memory_.get(), used);
    memory_ = std::move(larger);
    end_ = memory_.get() + used;
    limit_ = memory_.get() + wanted;
  }

  std::unique_ptr<char[]> memory_;
  char* end_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace ringside::trace
