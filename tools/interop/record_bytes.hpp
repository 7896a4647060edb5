#pragma once
// A growing buffer of records that will be written to a trace file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace ringside::tool {

// A std::string works too, but takes four times the instructions for each of the small pieces that
// records consist of.
class RecordBytes {
 public:
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  std::byte* at(std::size_t position) { return bytes_.get() + position; }

  // A function call would be most of the cost of a small piece.
  [[gnu::always_inline]] void append(const void* bytes, std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]]
      grow(count);
    if (count != 0) std::memcpy(bytes_.get() + size_, bytes, count);
    size_ += count;
  }
  // Appends the first `count` bytes of a number, up to 8. Stores all 8, which takes fewer
  // instructions.
  [[gnu::always_inline]] void append_number(std::uint64_t number, std::size_t count) {
    if (capacity_ - size_ < sizeof number) [[unlikely]]
      grow(sizeof number);
    std::memcpy(bytes_.get() + size_, &number, sizeof number);
    size_ += count;
  }
  void insert(std::size_t position, const void* bytes, std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    std::memmove(at(position) + count, at(position), size_ - position);
    std::memcpy(at(position), bytes, count);
    size_ += count;
  }
  // `size` must not exceed the current size.
  void shorten(std::size_t size) { size_ = size; }
  void clear() { size_ = 0; }
  // Frees the memory.
  void release() {
    bytes_.reset();
    size_ = capacity_ = 0;
  }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };

  void grow(std::size_t count) {
    constexpr std::size_t kFewestBytes = 512;
    const std::size_t wanted = std::max({kFewestBytes, 2 * capacity_, size_ + count});
    // For large blocks the kernel moves the pages, not the bytes.
    void* const larger = std::realloc(bytes_.get(), wanted);
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(bytes_.release());
    bytes_.reset(static_cast<std::byte*>(larger));
    capacity_ = wanted;
  }

  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ringside::tool
