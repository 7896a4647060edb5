#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

namespace ringside {

// An array of fixed size for data of which mostly only the first elements are ever used: the pages
// of the rest are never touched, which an allocator would do. All elements begin as zeros.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ZeroedArray() = default;
  // Null if there is no memory.
  explicit ZeroedArray(std::size_t count) : bytes_(count * sizeof(T)) {
    void* const place =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place != MAP_FAILED) elements_ = static_cast<T*>(place);
  }
  ~ZeroedArray() {
    if (elements_ != nullptr) munmap(elements_, bytes_);
  }
  ZeroedArray(const ZeroedArray&) = delete;
  ZeroedArray& operator=(const ZeroedArray&) = delete;
  ZeroedArray& operator=(ZeroedArray&& from) noexcept {
    std::swap(elements_, from.elements_);
    std::swap(bytes_, from.bytes_);
    return *this;
  }

  explicit operator bool() const { return elements_ != nullptr; }
  T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  T* elements_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ringside
