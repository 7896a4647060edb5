// The elements of an array value, one by one.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace-format/value.hpp"

namespace ringside::trace {

// Views into the array's text. Any bytes are safe to read.
class ArrayElements {
 public:
  explicit ArrayElements(const Value& array)
      : type_(shm::element_type(array.type)), rest_(array.text), left_(array.count) {}

  // False behind the last one, and where the count promises more than the bytes hold.
  bool next(Value& element);

  // Whether bytes lacked for what the count promises.
  bool cut_short() const { return cut_short_; }

 private:
  bool take(Value& element);

  shm::FieldType type_;
  std::string_view rest_;
  std::uint32_t left_;
  bool cut_short_ = false;
};

}  // namespace ringside::trace
