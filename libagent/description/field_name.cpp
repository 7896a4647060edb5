#include "libagent/description/field_name.hpp"

#include <algorithm>

#include "shm-layout/plain_expression.hpp"

namespace ringside {
namespace {

using shm::ExpressionToken;
using shm::token_at;
using shm::TokenKind;

// What does not fit is left out.
class NameBuilder {
 public:
  explicit NameBuilder(FieldNamePlace& place) : place_(place) {}

  void add(std::string_view text) {
    const std::string_view fits = text.substr(0, place_.size() - size_);
    std::copy(fits.begin(), fits.end(), place_.data() + size_);
    size_ += fits.size();
  }
  std::string_view name() const { return cut_name({place_.data(), size_}); }

 private:
  FieldNamePlace& place_;
  std::size_t size_ = 0;
};

// 42, "text", 'c', -1, 2 * 1024, true, nullptr: nothing in it could be a name.
bool is_constant(std::string_view text) {
  for (std::size_t at = 0;;) {
    const ExpressionToken token = token_at(text, at);
    if (token.kind == TokenKind::kEnd) return true;
    at = token.end;
    const bool is_named = token.kind == TokenKind::kWord &&
                          !shm::is_one_of(token.text, {"true", "false", "nullptr", "NULL"});
    if (is_named) return false;
  }
}

char escaped(char letter) {
  constexpr std::string_view kLetters = "abfnrtv";
  constexpr std::string_view kCharacters = "\a\b\f\n\r\t\v";
  const std::size_t at = kLetters.find(letter);
  return at != std::string_view::npos ? kCharacters[at] : letter;
}

// Escapes with numbers stay as written.
void add_literal(std::string_view literal, NameBuilder& name) {
  for (std::size_t i = 1; i < literal.size() && literal[i] != '"'; ++i) {
    char c = literal[i];
    if (c == '\\' && i + 1 < literal.size()) {
      const char next = literal[i + 1];
      const bool has_number = next == 'x' || next == 'u' || next == 'U' || shm::is_digit(next);
      if (!has_number) c = escaped(literal[++i]);
    }
    name.add({&c, 1});
  }
}

// What is between the parentheses of RS_NAMED("name", expression); empty for other texts.
std::string_view inside_named(std::string_view argument) {
  argument = shm::without_outer_spaces(argument);
  const ExpressionToken macro = token_at(argument, 0);
  const ExpressionToken open = token_at(argument, macro.end);
  const bool is_named = macro.is("RS_NAMED") && open.is('(') &&
                        shm::bracket_end(argument, open.begin) == argument.size();
  return is_named ? argument.substr(open.end, argument.size() - open.end - 1) : std::string_view();
}

// The name before the comma; empty if it is not a string literal, or several in a row.
std::string_view named(std::string_view inside, FieldNamePlace& place) {
  NameBuilder builder(place);
  for (std::size_t at = 0;;) {
    const ExpressionToken token = token_at(inside, at);
    if (token.is(',')) return builder.name();
    if (token.kind != TokenKind::kLiteral || !token.text.starts_with('"')) return {};
    add_literal(token.text, builder);
    at = token.end;
  }
}

// Spaces as the preprocessor writes them: one at most between two tokens.
std::string_view with_single_spaces(std::string_view text, FieldNamePlace& place) {
  NameBuilder builder(place);
  bool differs = false;
  for (std::size_t at = 0;;) {
    const ExpressionToken token = token_at(text, at);
    if (token.kind == TokenKind::kEnd) return differs ? builder.name() : cut_name(text);
    const std::string_view spaces = text.substr(at, token.begin - at);
    if (!spaces.empty()) builder.add(" ");
    differs = differs || (!spaces.empty() && spaces != " ");
    builder.add(token.text);
    at = token.end;
  }
}

}  // namespace

std::string_view cut_name(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && most - end < 3 && continues(end)) --end;
  return text.substr(0, continues(end) ? most : end);  // not UTF-8
}

FieldName field_name(std::string_view argument, FieldNamePlace& place) {
  const std::string_view inside = inside_named(argument);
  if (const std::string_view name = named(inside, place); !name.empty()) return {name, true};
  const std::size_t comma = shm::comma_at(inside, 0);
  if (comma < inside.size()) argument = inside.substr(comma + 1);
  const std::string_view plain = shm::plain_expression(argument);
  if (is_constant(plain)) return {};
  const std::string_view name = with_single_spaces(plain, place);
  return {name, name == shm::without_outer_spaces(argument)};
}

}  // namespace ringside
