#include "trace-format/condition/regular_expression.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

namespace ringside::trace {

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
  return true;
}

bool RegularExpression::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace ringside::trace
