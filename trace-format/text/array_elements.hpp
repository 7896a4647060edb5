// The elements of an array value, one by one.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Views into the array's text. The bytes are untrusted.
class ArrayElements {
 public:
  explicit ArrayElements(const Value& array)
      : type_(shm::element_type(array.type)), rest_(array.text), left_(array.count) {}

  // Returns false after the last element, or if the count claims more elements than the bytes hold.
  bool next(Value& element);

  // Whether the bytes end before the claimed count.
  bool cut_short() const { return cut_short_; }

 private:
  bool take(Value& element);

  shm::FieldType type_;
  std::string_view rest_;
  std::uint32_t left_;
  bool cut_short_ = false;
};

}  // namespace ringside::trace
