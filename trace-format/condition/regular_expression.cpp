#include "trace-format/condition/regular_expression.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

namespace ringside::trace {

namespace {

// Empty if the expression has operators.
std::string literal_of(std::string_view expression) {
  constexpr std::string_view kOperators = ".*+?()[]{}|^$";
  constexpr std::size_t kMostBytes = 256;
  std::string literal;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    char character = expression[i];
    if (kOperators.find(character) != std::string_view::npos) return {};
    if (character == '\\') {
      // Before a letter or a digit it is an operator.
      if (++i == expression.size()) return {};
      character = expression[i];
      if (kOperators.find(character) == std::string_view::npos && character != '\\') return {};
    }
    literal += character;
  }
  return literal.size() <= kMostBytes ? literal : std::string();
}

}  // namespace

bool RegularExpression::parse(const std::string& expression, std::string* why) {
  RE2::Options options;
  options.set_log_errors(false);
  auto fresh = std::make_shared<const RE2>(expression, options);
  if (!fresh->ok()) {
    *why = fmt::format(
        "invalid regular expression '{}': {}; write a backslash before . * + ? ( ) [ {{ | ^ $ to "
        "match the character itself",
        expression, fresh->error());
    return false;
  }
  compiled_ = std::move(fresh);
  literal_ = literal_of(expression);
  return true;
}

bool RegularExpression::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace ringside::trace
