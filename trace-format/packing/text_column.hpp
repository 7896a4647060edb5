// A column of texts: README.md, "Columns". With or without a dictionary; plain or as templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/packing/column_bytes.hpp"

namespace ringside::trace {

enum class TextModel : std::uint8_t { kPlain = 0, kTemplates = 1, kDictionary = 2 };

// Chooses by compressing a sample with each model.
void put_texts(std::span<const std::string_view> texts, ColumnWriter& out);

// Holds the texts that templates make, as long as the views of take_texts() are used.
class TextRoom {
 public:
  TextRoom(std::size_t most_bytes, std::size_t most_numbers)
      : left_(most_bytes), numbers_left_(most_numbers) {}
  // False if the texts of this room together have too many bytes.
  bool add(std::string text) {
    if (text.size() > left_) return false;
    left_ -= text.size();
    texts_.push_back(std::move(text));
    return true;
  }
  std::string_view last() const { return texts_.back(); }
  // The numbers of `texts` texts. False if they are too many.
  bool add_numbers(std::size_t texts, std::size_t each) {
    if (each != 0 && texts > numbers_left_ / each) return false;
    numbers_left_ -= texts * each;
    return true;
  }

 private:
  std::size_t left_;
  std::size_t numbers_left_;
  std::deque<std::string> texts_;
};

// Like take_integers(). The views are into the bytes of `in`, or into `room`.
void take_texts(ColumnReader& in, std::size_t count, TextRoom& room,
                std::vector<std::string_view>& texts);

}  // namespace ringside::trace
