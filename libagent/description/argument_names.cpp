#include "libagent/description/argument_names.hpp"

#include <algorithm>
#include <charconv>

#include "shm-layout/expression_token.hpp"

namespace ringside {
namespace {

using shm::ExpressionToken;
using shm::token_at;
using shm::TokenKind;

// Which `<` may open a template's argument list, whose commas separate no arguments.
enum class Templates { kNone, kWithoutSpace, kAll };

// Bounds the work for texts with many `<` that open nothing. Further ones are operators.
constexpr int kMostFailedSearches = 8;

// Splits a text at the commas between arguments.
class ArgumentSplitter {
 public:
  ArgumentSplitter(std::string_view text, Templates templates)
      : text_(text), templates_(templates) {}

  // The number of parts. Those that `parts` has a place for are stored.
  std::size_t split(std::span<std::string_view> parts) {
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= text_.size(); ++count) {
      const std::size_t end = part_end(begin);
      if (count < parts.size()) parts[count] = text_.substr(begin, end - begin);
      begin = end + 1;
    }
    return count;
  }

 private:
  std::size_t part_end(std::size_t at) {
    ExpressionToken previous;
    for (;;) {
      const ExpressionToken token = token_at(text_, at);
      if (token.kind == TokenKind::kEnd) return text_.size();
      if (token.is(',')) return token.begin;
      at = token.end;
      if (shm::opens_bracket(token)) {
        at = shm::bracket_end(text_, token.begin);
        if (at == std::string_view::npos) return text_.size();
      } else if (token.is('<') && may_open_template(previous, token)) {
        at = template_end(token);
      }
      previous = token;
    }
  }

  bool may_open_template(const ExpressionToken& previous, const ExpressionToken& token) const {
    if (templates_ == Templates::kNone || previous.kind != TokenKind::kWord) return false;
    return templates_ == Templates::kAll || previous.end == token.begin;
  }

  // The end of the `<` itself if it opens no list.
  std::size_t template_end(const ExpressionToken& token) {
    if (failed_searches_ >= kMostFailedSearches) return token.end;
    const std::size_t end = shm::template_end(text_, token.begin);
    if (end != std::string_view::npos && shm::may_follow_template(token_at(text_, end))) return end;
    ++failed_searches_;
    return token.end;
  }

  std::string_view text_;
  Templates templates_;
  int failed_searches_ = 0;
};

// False if it is unknown which part of the text belongs to which field.
bool split_into(std::span<std::string_view> parts, std::string_view text) {
  for (const Templates templates : {Templates::kNone, Templates::kWithoutSpace, Templates::kAll}) {
    if (ArgumentSplitter(text, templates).split(parts) == parts.size()) return true;
  }
  return false;
}

}  // namespace

bool split_arguments(std::string_view arguments, std::span<std::string_view> parts) {
  const std::size_t comma = shm::comma_at(arguments, 0);
  return comma < arguments.size() && split_into(parts, arguments.substr(comma + 1));
}

std::span<const std::string_view> ArgumentNames::read(std::string_view arguments,
                                                      std::size_t field_count) {
  count_ = std::min<std::size_t>(field_count, RS_MAX_FIELDS);
  const std::span names = std::span(names_).first(count_);
  std::ranges::fill(names, std::string_view());
  is_given_.fill(false);
  const std::size_t comma = shm::comma_at(arguments, 0);
  if (comma >= arguments.size()) return names;
  const std::string_view text = arguments.substr(comma + 1);
  if (split_into(names, text)) {
    for (std::size_t i = 0; i < count_; ++i) {
      const FieldName name = field_name(names_[i], places_[i]);
      names_[i] = name.text;
      is_given_[i] = name.is_given;
    }
  } else {
    // Readers that search for a name must find it in each field that may have it.
    std::ranges::fill(names, cut_name(shm::without_outer_spaces(text)));
  }
  make_distinct();
  return names;
}

bool ArgumentNames::is_taken(std::string_view name) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_final_[i] && names_[i] == name) return true;
  }
  return false;
}

void ArgumentNames::make_distinct() {
  is_final_.fill(false);
  numbered_base_ = {};
  // Given names come first, because placeholders of brace formats refer to them; then derived ones,
  // then made ones.
  for (const bool is_given : {true, false}) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_final_[i] || is_given_[i] != is_given) continue;
      is_final_[i] = !names_[i].empty() && !is_taken(names_[i]);
    }
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_final_[i]) continue;
    std::array<char, 8> made{'a', 'r', 'g'};
    if (names_[i].empty()) {
      char* const end = std::to_chars(made.data() + 3, made.data() + made.size(), i + 1).ptr;
      const std::string_view name(made.data(), static_cast<std::size_t>(end - made.data()));
      std::copy(name.begin(), name.end(), places_[i].begin());
      names_[i] = std::string_view(places_[i].data(), name.size());
    }
    if (is_taken(names_[i])) add_number(i, names_[i]);
    is_final_[i] = true;
  }
}

void ArgumentNames::add_number(std::size_t index, std::string_view base) {
  FieldNamePlace& place = places_[index];
  // Those before the number that the last equal name got are taken. Without this, hundreds of equal
  // names would take milliseconds.
  const bool is_repeated = !numbered_base_.empty() && numbered_base_ == base;
  std::size_t number = is_repeated ? next_number_ : 2;
  numbered_base_ = base.data() == place.data() ? std::string_view() : base;
  // One of count_ numbers is free.
  for (;; ++number) {
    next_number_ = number + 1;
    std::array<char, 8> suffix{'_'};
    char* const end = std::to_chars(suffix.data() + 1, suffix.data() + suffix.size(), number).ptr;
    const auto suffix_bytes = static_cast<std::size_t>(end - suffix.data());
    base = cut_name(base, shm::kMaxFieldNameBytes - suffix_bytes);
    // The base may lie in the place already, at its beginning.
    if (base.data() != place.data()) std::copy(base.begin(), base.end(), place.begin());
    std::copy(suffix.data(), end, place.data() + base.size());
    const std::string_view name(place.data(), base.size() + suffix_bytes);
    if (is_taken(name)) continue;
    names_[index] = name;
    return;
  }
}

}  // namespace ringside
