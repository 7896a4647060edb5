#pragma once
// The part of an argument expression that names its field: what remains without conversions that
// keep the value. libagent/README.md ("Names of fields") lists them for users. The library names
// fields by it; readers apply it to names in conditions and to names that earlier libraries stored.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "expression_token.hpp"

namespace ringside::shm {

inline constexpr int kMaxConversions = 16;  // removed from one expression; bounds the work

namespace detail {

// Whether words in parentheses are a type: decided by what may follow them.
enum class TypeLikeness : std::uint8_t { kNone, kPossible, kByConvention, kCertain };

constexpr bool is_builtin_type(std::string_view word) {
  return is_one_of(word,
                   {"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double",
                    "wchar_t", "char8_t", "char16_t", "char32_t", "__int128", "_Bool", "void"});
}

constexpr bool is_type_only(std::string_view word) {
  return is_builtin_type(word) ||
         is_one_of(word, {"const", "volatile", "struct", "class", "union", "enum", "typename"});
}

constexpr bool is_operator_word(std::string_view word) {
  return is_one_of(word,
                   {"and", "or", "xor", "bitand", "bitor", "and_eq", "or_eq", "xor_eq", "not_eq"});
}

constexpr TypeLikeness type_likeness(std::string_view text) {
  bool is_certain = false;
  bool is_pointer = false;
  bool after_word = false;
  bool after_scope = false;
  std::string_view last_word;
  for (std::size_t at = 0;;) {
    const ExpressionToken token = token_at(text, at);
    if (token.kind == TokenKind::kEnd) break;
    at = token.end;
    if (token.kind == TokenKind::kWord) {
      const bool is_qualifier = token.is("const") || token.is("volatile");
      if (is_pointer && !is_qualifier) return TypeLikeness::kNone;
      is_certain = is_certain || is_type_only(token.text);
      if (!is_qualifier || last_word.empty()) last_word = token.text;
      after_word = true;
      after_scope = false;
    } else if (token.is("::") && !is_pointer) {
      after_scope = true;
    } else if (token.is('<') && after_word && !is_pointer) {
      at = template_end(text, token.begin);
      if (at == std::string_view::npos) return TypeLikeness::kNone;
    } else if ((token.is('*') || token.is('&') || token.is("&&")) && after_word && !after_scope) {
      is_pointer = true;
    } else {
      return TypeLikeness::kNone;
    }
  }
  if (last_word.empty() || after_scope) return TypeLikeness::kNone;
  if (is_certain || is_pointer) return TypeLikeness::kCertain;
  return last_word.ends_with("_t") ? TypeLikeness::kByConvention : TypeLikeness::kPossible;
}

// The position after `(type)` at the beginning of a cast; npos if `text` is not certainly a cast.
constexpr std::size_t cast_type_end(std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  if (!text.starts_with('(')) return kNone;
  const std::size_t end = bracket_end(text, 0);
  if (end == kNone) return kNone;
  const TypeLikeness type = type_likeness(text.substr(1, end - 2));
  if (type == TypeLikeness::kNone) return kNone;
  const ExpressionToken next = token_at(text, end);
  bool is_cast = false;
  switch (next.kind) {
    case TokenKind::kEnd:
      break;
    case TokenKind::kWord:
      is_cast = !is_operator_word(next.text);
      break;
    case TokenKind::kNumber:
    case TokenKind::kLiteral:
      is_cast = true;
      break;
    case TokenKind::kPunctuation:
      if (is_one_of(next.text, {"!", "~", "::"})) is_cast = true;
      if (next.is('(')) is_cast = type >= TypeLikeness::kByConvention;
      // (count) - 1 is a difference unless `count` is certainly a type.
      if (is_one_of(next.text, {"+", "-", "*", "&", "++", "--"})) {
        is_cast = type == TypeLikeness::kCertain;
      }
      break;
  }
  return is_cast ? end : kNone;
}

// Reads an expression as one operand: no operator outside brackets has two operands.
class OperandReader {
 public:
  constexpr OperandReader(std::string_view text, bool with_prefix)
      : text_(text), with_prefix_(with_prefix) {}

  constexpr bool reads_all() {
    for (;;) {
      const ExpressionToken token = token_at(text_, at_);
      if (token.kind == TokenKind::kEnd) return !wants_operand_;
      at_ = token.end;
      const bool fits = token.kind == TokenKind::kPunctuation ? punctuation(token) : operand(token);
      if (!fits) return false;
      after_word_ = token.kind == TokenKind::kWord;
      after_literal_ = token.kind == TokenKind::kLiteral;
    }
  }

 private:
  constexpr bool operand(const ExpressionToken& token) {
    const bool is_word = token.kind == TokenKind::kWord;
    const bool continues_literal = token.kind == TokenKind::kLiteral && after_literal_;
    if ((!wants_operand_ && !continues_literal) || (wants_member_ && !is_word)) return false;
    if (is_word && is_operator_word(token.text)) return false;
    wants_operand_ = wants_member_ = false;
    return true;
  }

  constexpr bool punctuation(const ExpressionToken& token) {
    if (opens_bracket(token)) return bracket(token);
    if (token.is("::") || token.is('.') || token.is("->")) {
      if (wants_member_ || (wants_operand_ && !token.is("::"))) return false;
      wants_operand_ = wants_member_ = true;
      return true;
    }
    if (token.is('<') && after_word_ && !wants_operand_) {
      at_ = template_end(text_, token.begin);
      return at_ != std::string_view::npos && may_follow_template(token_at(text_, at_));
    }
    const bool is_step = token.is("++") || token.is("--");
    if (!wants_operand_) return is_step;
    return with_prefix_ && !wants_member_ &&
           (is_step || is_one_of(token.text, {"+", "-", "!", "~", "*", "&"}));
  }

  constexpr bool bracket(const ExpressionToken& token) {
    if (wants_member_) return false;
    if (wants_operand_ && token.is('(')) {
      const std::size_t type_end = cast_type_end(text_.substr(token.begin));
      if (type_end != std::string_view::npos) {
        at_ = token.begin + type_end;
        return with_prefix_;
      }
    }
    if (wants_operand_ && token.is('{')) return false;
    at_ = bracket_end(text_, token.begin);
    wants_operand_ = false;
    return at_ != std::string_view::npos;
  }

  std::string_view text_;
  bool with_prefix_;
  std::size_t at_ = 0;
  bool wants_operand_ = true;
  bool wants_member_ = false;
  bool after_word_ = false;
  bool after_literal_ = false;
};

constexpr bool is_operand(std::string_view text) {
  return OperandReader(text, true).reads_all();
}

// As is_operand, without operators before it: what a member access applies to.
constexpr bool is_postfix_operand(std::string_view text) {
  return OperandReader(text, false).reads_all();
}

// What the bracket at `at` encloses, if it is one expression and the bracket ends `text`.
constexpr std::string_view enclosed(std::string_view text, std::size_t at) {
  if (bracket_end(text, at) != text.size()) return {};
  const std::string_view inside = without_outer_spaces(text.substr(at + 1, text.size() - at - 2));
  if (inside.starts_with('{') || comma_at(inside, 0) != inside.size()) return {};
  return inside;
}

// x of static_cast<int>(x), std::move(x), int(x), RS_ARG(x).
constexpr std::string_view converted_by_call(std::string_view text) {
  ExpressionToken token = token_at(text, 0);
  if (token.is("::")) token = token_at(text, token.end);
  std::string_view scope;
  std::string_view name;
  int words = 0;
  for (;; token = token_at(text, token.end)) {
    if (token.kind != TokenKind::kWord) return {};
    scope = name;
    name = token.text;
    ++words;
    token = token_at(text, token.end);
    if (!token.is("::")) break;
  }
  const bool is_cast = words == 1 && is_one_of(name, {"static_cast", "reinterpret_cast",
                                                      "const_cast", "dynamic_cast"});
  const bool is_standard =
      words == 2 && scope == "std" &&
      is_one_of(name, {"move", "forward", "as_const", "ref", "cref", "to_underlying"});
  const bool is_type = (words == 1 && is_builtin_type(name)) || name.ends_with("_t");
  if (token.is('<')) {
    if (!is_cast && !is_standard) return {};
    const std::size_t end = template_end(text, token.begin);
    if (end == std::string_view::npos) return {};
    token = token_at(text, end);
  }
  const bool is_call = is_cast || is_standard || is_type || (words == 1 && name == "RS_ARG");
  if (!is_call || !(token.is('(') || (is_type && token.is('{')))) return {};
  return enclosed(text, token.begin);
}

// x of x.c_str(), x->data() and x.str().
constexpr std::string_view converted_by_member(std::string_view text) {
  for (const char bracket : {')', '('}) {
    if (!text.ends_with(bracket)) return {};
    text.remove_suffix(1);
    text = without_outer_spaces(text);
  }
  const std::string_view member = word_before(text, text.size());
  if (!is_one_of(member, {"c_str", "data", "str"})) return {};
  text = without_outer_spaces(text.substr(0, text.size() - member.size()));
  if (text.ends_with("->")) {
    text.remove_suffix(2);
  } else if (text.ends_with('.')) {
    text.remove_suffix(1);
  } else {
    return {};
  }
  text = without_outer_spaces(text);
  return is_postfix_operand(text) ? text : std::string_view();
}

// x of +x and !!x.
constexpr std::string_view converted_by_prefix(std::string_view text) {
  const ExpressionToken first = token_at(text, 0);
  std::size_t at = first.end;
  if (first.is('!')) {
    const ExpressionToken second = token_at(text, at);
    if (!second.is('!')) return {};
    at = second.end;
  } else if (!first.is('+')) {
    return {};
  }
  const std::string_view rest = without_outer_spaces(text.substr(at));
  return is_operand(rest) ? rest : std::string_view();
}

// The expression without one conversion around it; empty if there is none.
constexpr std::string_view converted(std::string_view text) {
  if (text.starts_with('(')) {
    const std::string_view inside = enclosed(text, 0);
    if (!inside.empty()) return inside;
    const std::size_t type_end = cast_type_end(text);
    if (type_end == std::string_view::npos) return {};
    const std::string_view rest = without_outer_spaces(text.substr(type_end));
    return is_operand(rest) ? rest : std::string_view();
  }
  for (const auto rule : {converted_by_call, converted_by_member, converted_by_prefix}) {
    const std::string_view inside = rule(text);
    if (!inside.empty()) return inside;
  }
  return {};
}

}  // namespace detail

// A part of `expression`, without spaces around it.
constexpr std::string_view plain_expression(std::string_view expression) {
  expression = without_outer_spaces(expression);
  for (int i = 0; i < kMaxConversions; ++i) {
    const std::string_view inside = detail::converted(expression);
    if (inside.empty()) break;
    expression = inside;
  }
  return expression;
}

}  // namespace ringside::shm
