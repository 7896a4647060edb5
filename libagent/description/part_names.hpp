#pragma once
// The names of an argument's parts, which its shape has in one text.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libagent/include/ringside/abi.h"
#include "shm-layout/expression_token.hpp"

namespace ringside {

class PartNames {
 public:
  // `shape` has parts.
  explicit PartNames(const rs_shape& shape) : text_(shape.names), count_(shape.part_count) {}

  // The next part's; that of a member function is without its parentheses.
  std::string_view next() {
    const std::size_t comma = shm::comma_at(text_, 0);
    std::string_view name = shm::without_outer_spaces(text_.substr(0, comma));
    text_.remove_prefix(comma < text_.size() ? comma + 1 : text_.size());
    if (const std::size_t call = name.find('('); call != std::string_view::npos && call > 0) {
      name = shm::without_outer_spaces(name.substr(0, call));
    }
    return name;
  }

  // Appends what a placeholder shows unless the type has a text: (x={}, y={}).
  template <class String>
  void append_text(String& out) {
    out += "(";
    for (std::uint32_t i = 0; i < count_; ++i) {
      out += i == 0 ? "" : ", ";
      out += next();
      out += "={}";
    }
    out += ")";
  }

 private:
  std::string_view text_;
  std::uint32_t count_;
};

}  // namespace ringside
