#pragma once
// The source text of a call's arguments, split at compile time to find arguments by their names.
// The library does the same, in more cases, when it names the fields (libagent/README.md).

#include <cstddef>
#include <cstdint>

#include "abi.h"
#include "literal_text.hpp"
#include "shm-layout/format_text.hpp"

namespace ringside::detail {

class ArgumentTexts {
 public:
  // `text`: the format and the arguments. `count`: of the arguments.
  constexpr ArgumentTexts(shm::FormatText text, std::size_t count) : text_(text), count_(count) {}

  // The index of the argument that is named by RS_NAMED, or is the name, also within RS_ARG;
  // `count` if there is none.
  constexpr std::size_t find(shm::FormatText format, std::uint32_t begin, std::uint32_t end,
                             std::size_t count) {
    split();
    for (std::size_t i = 0; i < found_; ++i) {
      const Range part = parts_[i];
      const Range name = is_named(i) ? name_in(part) : value_in(part, false);
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
  constexpr bool is_named(std::size_t index) {
    split();
    if (index >= found_) return false;
    constexpr char kMacro[] = "RS_NAMED";
    std::uint32_t at = parts_[index].begin;
    for (std::uint32_t i = 0; i + 1 < sizeof kMacro; ++i) {
      if (character(at++) != kMacro[i]) return false;
    }
    if (character(at) == ' ') ++at;  // the preprocessor leaves one at most
    if (character(at++) != '(') return false;
    if (character(at) == ' ') ++at;
    return character(at) == '"';
  }

  // Whether the argument is a literal whose field has the type `type`, also within RS_NAMED or
  // RS_ARG.
  constexpr bool is_literal(std::size_t index, shm::FieldType type) {
    split();
    if (index >= found_) return false;
    const Range value = value_in(parts_[index], is_named(index));
    return LiteralText(text_, value.begin, value.end).is_literal(type);
  }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  constexpr char character(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // Without RS_NAMED("name", ) or RS_ARG( ) around it.
  constexpr Range value_in(Range part, bool is_named) const {
    if (!is_named && !starts_with(part, "RS_ARG")) return part;
    std::uint32_t at = part.begin;
    while (at < part.end && text_[at] != '(') ++at;
    if (is_named) {
      for (at = name_in(part).end; at < part.end && text_[at] != ',';) ++at;
    }
    if (at >= part.end || text_[part.end - 1] != ')') return part;
    return trimmed({at + 1, part.end - 1});
  }

  constexpr bool starts_with(Range part, const char* word) const {
    std::uint32_t at = part.begin;
    for (; *word != '\0'; ++word) {
      if (character(at++) != *word) return false;
    }
    if (character(at) == ' ') ++at;
    return character(at) == '(';
  }

  // Between the quotes after RS_NAMED(.
  constexpr Range name_in(Range part) const {
    while (text_[part.begin] != '"') ++part.begin;
    Range name{part.begin + 1, part.begin + 1};
    while (name.end < part.end && text_[name.end] != '"') ++name.end;
    return name;
  }

  // Only when a text is needed: compilers evaluate this for each statement of a program.
  constexpr void split() {
    if (is_split_) return;
    is_split_ = true;
    split(false);
    if (found_ != count_) split(true);
    if (found_ != count_) found_ = 0;  // no argument is found by its name
  }

  // `angles`: < and > after an identifier are brackets too.
  constexpr void split(bool angles) {
    found_ = 0;
    bool is_format = true;
    std::uint32_t begin = 0;
    int depth = 0;
    for (std::uint32_t at = 0; at <= text_.size(); ++at) {
      const char c = at < text_.size() ? text_[at] : ',';
      if (at < text_.size() && (c == '"' || (c == '\'' && !is_in_number(at)))) {
        at = is_raw(at) ? raw_end(at) : literal_end(at, c);
        continue;
      }
      const bool is_arrow = c == '>' && at > 0 && text_[at - 1] == '-';
      if (c == '(' || c == '[' || c == '{' || (angles && c == '<')) ++depth;
      if (c == ')' || c == ']' || c == '}' || (angles && c == '>' && !is_arrow)) --depth;
      const bool ends = at == text_.size() || (c == ',' && depth == 0);
      if (!ends) continue;
      if (!is_format && found_ < RS_MAX_FIELDS) parts_[found_++] = trimmed({begin, at});
      is_format = false;
      begin = at + 1;
    }
  }

  static constexpr bool is_word_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  constexpr std::uint32_t word_begin(std::uint32_t end) const {
    while (end > 0 && is_word_part(text_[end - 1])) --end;
    return end;
  }

  // An apostrophe that separates digits: 1'000.
  constexpr bool is_in_number(std::uint32_t at) const {
    const char first = text_[word_begin(at)];
    return first >= '0' && first <= '9';
  }

  // Of R"", u8R"", LR"" ...
  constexpr bool is_raw(std::uint32_t at) const {
    if (at == 0 || text_[at - 1] != 'R') return false;
    const std::uint32_t begin = word_begin(at);
    const char first = text_[begin];
    return at - begin == 1 || (at - begin == 2 && (first == 'L' || first == 'u' || first == 'U')) ||
           (at - begin == 3 && first == 'u' && text_[begin + 1] == '8');
  }

  // Of the last quote of a raw literal that opens at `at`.
  constexpr std::uint32_t raw_end(std::uint32_t at) const {
    const std::uint32_t delimiter = at + 1;
    std::uint32_t bytes = 0;
    while (delimiter + bytes < text_.size() && text_[delimiter + bytes] != '(') ++bytes;
    for (at = delimiter + bytes; at < text_.size(); ++at) {
      if (text_[at] != ')') continue;
      std::uint32_t equal = 0;
      while (equal < bytes && character(at + 1 + equal) == text_[delimiter + equal]) ++equal;
      if (equal == bytes && character(at + 1 + bytes) == '"') return at + 1 + bytes;
    }
    return at;
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
  std::size_t count_;
  std::size_t found_ = 0;
  bool is_split_ = false;
};

}  // namespace ringside::detail
