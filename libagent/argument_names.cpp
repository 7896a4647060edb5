#include "libagent/argument_names.hpp"

#include <algorithm>
#include <cstddef>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/expression_text.hpp"

namespace ringside {
namespace {

// The end of the argument that starts at `at`: the next comma outside brackets and literals. Angle
// brackets do not count, because they may be operators.
std::size_t argument_end(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (shm::opens_literal(text, at)) {
      at = std::min(shm::literal_end(text, at), text.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
    ++at;
  }
  return at;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text.substr(0, shm::kMaxFieldNameBytes);
}

}  // namespace

void split_argument_names(std::string_view arguments, std::span<std::string_view> names) {
  std::size_t at = argument_end(arguments, 0);
  const std::string_view all =
      at < arguments.size() ? arguments.substr(at + 1) : std::string_view();
  std::size_t found = 0;
  for (; at < arguments.size(); ++found) {
    const std::size_t begin = at + 1;
    at = argument_end(arguments, begin);
    if (found < names.size()) names[found] = trimmed(arguments.substr(begin, at - begin));
  }
  if (found == names.size()) return;
  // A comma of a template's arguments, as in get<int, long>(x): it is unknown which part belongs to
  // which field. A reader that searches for a name must still find it.
  std::fill(names.begin(), names.end(), trimmed(all));
}

}  // namespace ringside
