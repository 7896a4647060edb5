#include "trace-format/text/array_elements.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace ringside::trace {

static_assert(std::endian::native == std::endian::little,
              "array elements are read by copying their little-endian bytes");

bool ArrayElements::next(Value& element) {
  if (left_ == 0) return false;
  --left_;
  if (take(element)) return true;
  cut_short_ = true;
  left_ = 0;
  return false;
}

bool ArrayElements::take(Value& element) {
  element = Value{};
  element.type = type_;
  std::size_t size = shm::fixed_size(type_);
  if (shm::is_variable_length(type_)) {
    std::uint32_t length = 0;
    if (rest_.size() < sizeof length) return false;
    std::memcpy(&length, rest_.data(), sizeof length);
    rest_.remove_prefix(sizeof length);
    size = length;
    if (size > rest_.size()) return false;
    element.text = rest_.substr(0, size);
  } else {
    if (size == 0 || size > rest_.size()) return false;
    unsigned char stored[16] = {};
    std::memcpy(stored, rest_.data(), size);
    const bool negative = (stored[size - 1] & 0x80) != 0;
    if (shm::is_signed(type_) && negative) std::memset(stored + size, 0xff, sizeof stored - size);
    std::memcpy(&element.u64, stored, 8);
    std::memcpy(&element.high, stored + 8, 8);
  }
  rest_.remove_prefix(size);
  return true;
}

}  // namespace ringside::trace
