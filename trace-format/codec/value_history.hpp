// The values read so far that the records of an extent can refer to by a slot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace-format/blocks/format_constants.hpp"

namespace ringside::trace {

class ValueHistory {
 public:
  void clear() {
    if (numbers_used_) numbers_.fill(0);
    if (texts_used_) texts_.fill({});
    numbers_used_ = texts_used_ = false;
  }

  // The table itself, for writing. It has one slot more than the format: values that are not kept
  // go there.
  std::uint64_t* numbers() {
    numbers_used_ = true;
    return numbers_.data();
  }

  std::string_view text(std::size_t slot) const { return texts_[slot]; }
  void set_text(std::size_t slot, std::string_view text) {
    texts_[slot] = text;
    texts_used_ = true;
  }

 private:
  bool numbers_used_ = false;
  bool texts_used_ = false;
  std::array<std::uint64_t, kHistorySlots + 1> numbers_{};
  std::array<std::string_view, kHistorySlots> texts_{};
};

}  // namespace ringside::trace
