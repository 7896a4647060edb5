#pragma once
// The texts of a NetLogger statement, in the form of ULM: words `name=value` separated by blanks.

#include <cstddef>
#include <string_view>

#include "abi.h"
#include "shm-layout/printf_fields.hpp"
#include "shm-layout/printf_spec.hpp"
#include "shm-layout/ulm_level.hpp"

namespace ringside::detail {

enum class NetloggerError : unsigned char {
  none = 0,
  no_event,
  no_pair,
  open_quote,
  name_too_long,
  no_conversion,
  star,
  too_many_constants,
};

// NetLogger's limit.
inline constexpr std::size_t kMaxNetloggerNameBytes = 255;

struct NetloggerWord {
  std::string_view name;
  std::string_view value;  // without the quotes
  bool is_quoted = false;
};

// Takes words from the front of a text. Stops at its end, and for good after an error.
class NetloggerWords {
 public:
  constexpr explicit NetloggerWords(std::string_view text) : text_(text) {}

  constexpr bool next(NetloggerWord& word) {
    while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
    if (text_.empty() || error_ != NetloggerError::none) return false;
    std::size_t at = 0;
    while (at < text_.size() && text_[at] != '=' && text_[at] != '"' && !is_blank(text_[at])) ++at;
    if (at == 0 || at == text_.size() || text_[at] != '=') return fail(NetloggerError::no_pair);
    if (at > kMaxNetloggerNameBytes) return fail(NetloggerError::name_too_long);
    word.name = text_.substr(0, at);
    text_.remove_prefix(at + 1);
    word.is_quoted = !text_.empty() && text_.front() == '"';
    return word.is_quoted ? take_quoted(word) : take_plain(word);
  }

  constexpr NetloggerError error() const { return error_; }

 private:
  static constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  constexpr bool fail(NetloggerError error) {
    error_ = error;
    return false;
  }

  constexpr bool take_plain(NetloggerWord& word) {
    std::size_t end = 0;
    while (end < text_.size() && !is_blank(text_[end])) ++end;
    word.value = text_.substr(0, end);
    text_.remove_prefix(end);
    return true;
  }

  constexpr bool take_quoted(NetloggerWord& word) {
    const std::size_t end = text_.find('"', 1);
    if (end == std::string_view::npos) return fail(NetloggerError::open_quote);
    word.value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    const bool ends = text_.empty() || is_blank(text_.front());
    return ends || fail(NetloggerError::no_pair);
  }

  std::string_view text_;
  NetloggerError error_ = NetloggerError::none;
};

// A variable's value: one conversion and nothing else. printf_fields() reports errors in the
// conversion itself.
constexpr NetloggerError netlogger_variable_error(const NetloggerWord& word) {
  shm::PrintfParser parser(word.value);
  shm::PrintfSpec spec;
  if (word.is_quoted || word.value.empty() || word.value.front() != '%') {
    return NetloggerError::no_conversion;
  }
  if (!parser.next(spec)) return NetloggerError::none;
  if (spec.conversion == '%' || spec.end != word.value.size()) return NetloggerError::no_conversion;
  const bool star = spec.width_kind == shm::WidthKind::argument ||
                    spec.precision_kind == shm::WidthKind::argument;
  return star ? NetloggerError::star : NetloggerError::none;
}

constexpr NetloggerError netlogger_error(std::string_view event, std::string_view constants,
                                         std::string_view variables) {
  if (event.empty()) return NetloggerError::no_event;
  NetloggerWord word;
  NetloggerWords constant_words(constants);
  std::size_t count = 0;
  while (constant_words.next(word)) ++count;
  if (constant_words.error() != NetloggerError::none) return constant_words.error();
  if (count > RS_MAX_FIELDS) return NetloggerError::too_many_constants;
  NetloggerWords variable_words(variables);
  while (variable_words.next(word)) {
    const NetloggerError error = netlogger_variable_error(word);
    if (error != NetloggerError::none) return error;
  }
  return variable_words.error();
}

// The level of a statement: that of the constant LVL, as everywhere in ULM. RS_LEVEL_INFO without
// one, or with one that does not rank an event (Usage, Auth).
constexpr unsigned char netlogger_level(std::string_view constants) {
  NetloggerWord word;
  NetloggerWords words(constants);
  while (words.next(word)) {
    if (word.name != "LVL") continue;
    const auto level = shm::ulm_level_of(word.value);
    if (level && *level != shm::Level::kNone) return static_cast<unsigned char>(*level);
    break;
  }
  return RS_LEVEL_INFO;
}

}  // namespace ringside::detail
