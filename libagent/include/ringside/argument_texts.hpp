#pragma once
// The source text of a call's arguments, split at compile time to find arguments by their names.
// The library does the same, in more cases, when it names the fields (libagent/README.md).

#include <cstddef>
#include <cstdint>

#include "abi.h"
#include "shm-layout/format_text.hpp"

namespace ringside::detail {

class ArgumentTexts {
 public:
  // `text`: the format and the arguments. `count`: of the arguments.
  constexpr ArgumentTexts(shm::FormatText text, std::size_t count) : text_(text) {
    split(false);
    if (found_ != count) split(true);
    if (found_ != count) found_ = 0;  // no argument is found by its name
  }

  // The index of the argument that is named by RS_NAMED, or is the name; `count` if there is none.
  constexpr std::size_t find(shm::FormatText format, std::uint32_t begin, std::uint32_t end,
                             std::size_t count) const {
    for (std::size_t i = 0; i < found_; ++i) {
      Range name = parts_[i];
      if (is_named(i)) name = name_in(name);
      if (name.end - name.begin != end - begin) continue;
      bool equal = true;
      for (std::uint32_t k = 0; k < end - begin; ++k) {
        equal = equal && text_[name.begin + k] == format[begin + k];
      }
      if (equal) return i;
    }
    return count;
  }

  // Whether RS_NAMED names the argument.
  constexpr bool is_named(std::size_t index) const {
    if (index >= found_) return false;
    constexpr char kMacro[] = "RS_NAMED(";
    const Range part = parts_[index];
    if (part.end - part.begin < sizeof kMacro) return false;
    for (std::uint32_t i = 0; i + 1 < sizeof kMacro; ++i) {
      if (text_[part.begin + i] != kMacro[i]) return false;
    }
    return text_[part.begin + sizeof kMacro - 1] == '"';
  }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  // Between the quotes after RS_NAMED(.
  constexpr Range name_in(Range part) const {
    while (text_[part.begin] != '"') ++part.begin;
    Range name{part.begin + 1, part.begin + 1};
    while (name.end < part.end && text_[name.end] != '"') ++name.end;
    return name;
  }

  // `angles`: < and > after an identifier are brackets too.
  constexpr void split(bool angles) {
    found_ = 0;
    bool is_format = true;
    std::uint32_t begin = 0;
    int depth = 0;
    for (std::uint32_t at = 0; at <= text_.size(); ++at) {
      const char c = at < text_.size() ? text_[at] : ',';
      if (at < text_.size() && (c == '"' || (c == '\'' && !is_digit_before(at)))) {
        at = literal_end(at, c);
        continue;
      }
      if (c == '(' || c == '[' || c == '{' || (angles && c == '<')) ++depth;
      if (c == ')' || c == ']' || c == '}' || (angles && c == '>')) --depth;
      const bool ends = at == text_.size() || (c == ',' && depth == 0);
      if (!ends) continue;
      if (!is_format && found_ < RS_MAX_FIELDS) parts_[found_++] = trimmed({begin, at});
      is_format = false;
      begin = at + 1;
    }
  }

  constexpr bool is_digit_before(std::uint32_t at) const {
    if (at == 0) return false;
    const char c = text_[at - 1];
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  // Of the last quote.
  constexpr std::uint32_t literal_end(std::uint32_t at, char quote) const {
    for (++at; at < text_.size() && text_[at] != quote; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return at;
  }

  constexpr Range trimmed(Range range) const {
    while (range.begin < range.end && text_[range.begin] == ' ') ++range.begin;
    while (range.begin < range.end && text_[range.end - 1] == ' ') --range.end;
    return range;
  }

  shm::FormatText text_;
  Range parts_[RS_MAX_FIELDS] = {};
  std::size_t found_ = 0;
};

}  // namespace ringside::detail
