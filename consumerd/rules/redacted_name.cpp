#include "consumerd/rules/redacted_name.hpp"

#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/expression_text.hpp"
#include "shm-layout/plain_expression.hpp"
#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

// Escapes that can hide letters of a name in a literal: \u0070, \x70, \160.
bool is_letter_escape(char c) {
  return c == 'u' || c == 'U' || c == 'N' || c == 'x' || c == 'o' || shm::is_digit(c);
}

// Why the names in an expression cannot be known; null if they can.
const char* why_doubtful(std::string_view expression) {
  if (expression.empty()) return "it is unnamed";
  // A cut leaves up to three bytes of room, so that it divides no UTF-8 character.
  if (expression.size() + 3 >= shm::kMaxFieldNameBytes ||
      expression.size() == shm::kMaxFormerFieldNameBytes) {
    return "its expression may be truncated";
  }
  std::vector<char> open;
  std::size_t at = 0;
  while (at < expression.size()) {
    const char c = expression[at];
    if (shm::opens_literal(expression, at)) {
      const std::size_t end = shm::literal_end(expression, at);
      if (end == std::string_view::npos) return "its expression has an unterminated literal";
      at = end;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') open.push_back(c);
    if (c == ')' || c == ']' || c == '}') {
      const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != opening) return "its expression has unbalanced brackets";
      open.pop_back();
    }
    ++at;
  }
  if (!open.empty()) return "its expression has unbalanced brackets";
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] != '\\') continue;
    if (is_letter_escape(expression[i + 1])) return "its expression spells characters by number";
    ++i;
  }
  return nullptr;
}

// What is before a number that the library adds to distinguish fields: password for password_2.
std::string_view without_number(std::string_view word) {
  const std::size_t underscore = word.find_last_not_of("0123456789");
  const bool has_number = underscore != std::string_view::npos && underscore + 1 < word.size() &&
                          word[underscore] == '_';
  return has_number ? word.substr(0, underscore) : word;
}

bool fits_name(const std::string& glob, std::string_view name) {
  return trace::glob_fits_any_case(glob, name) ||
         trace::glob_fits_any_case(glob, without_number(name));
}

// Visits all possible identifiers, including those in literals: json["password"].
template <class Visit>
bool any_word(std::string_view expression, Visit visit) {
  std::size_t at = 0;
  while (at < expression.size()) {
    if (!shm::is_identifier_part(expression[at])) {
      // The letter after a backslash in a literal is not part of a word.
      at += expression[at] == '\\' ? std::size_t{2} : std::size_t{1};
      continue;
    }
    const std::size_t begin = at;
    while (at < expression.size() && shm::is_identifier_part(expression[at])) ++at;
    if (visit(expression.substr(begin, at - begin))) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> why_redacted(const RedactionRule& rule, std::string_view field_name) {
  for (const std::string& glob : rule.fields) {
    // Rule and name may each be a whole expression, user->password.c_str(): rules that were written
    // for earlier libraries, and names from them.
    const std::string plain_glob(shm::plain_expression(glob));
    if (fits_name(glob, field_name) || fits_name(plain_glob, shm::plain_expression(field_name))) {
      return "\"" + glob + "\" matches its name";
    }
    std::string why;
    const bool matches = any_word(field_name, [&](std::string_view word) {
      if (!fits_name(glob, word)) return false;
      why = "\"" + glob + "\" matches " + std::string(word);
      return true;
    });
    if (matches) return why;
  }
  const char* const doubt = why_doubtful(field_name);
  if (doubt == nullptr) return {};
  return std::string("in doubt: ") + doubt;
}

}  // namespace ringside::consumer
