#include "libagent/argument_names.hpp"

#include <cstddef>

namespace ringside {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

// Where the argument that starts at `at` ends: the next comma outside brackets and literals.
// Angle brackets do not count, because the preprocessor does not let a comma hide in them.
std::size_t argument_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      // A digit separator (1'000) looks like the start of a character literal.
      const bool separator = c == '\'' && at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
      if (separator) continue;
      for (++at; at < text.size() && text[at] != c; ++at) {
        if (text[at] == '\\') ++at;
      }
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  return at < text.size() ? at : text.size();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text.substr(0, kMaxNameBytes);
}

}  // namespace

void split_argument_names(std::string_view arguments, std::span<std::string_view> names) {
  std::size_t at = argument_end(arguments, 0);
  for (std::string_view& name : names) {
    if (at >= arguments.size()) {
      name = {};
      continue;
    }
    const std::size_t begin = at + 1;
    at = argument_end(arguments, begin);
    name = trimmed(arguments.substr(begin, at - begin));
  }
}

}  // namespace ringside
