#include "trace-format/condition/where_expression.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "trace-format/condition/level_name.hpp"

namespace ringside::trace {
namespace {

// A limit, so that no expression exhausts the stack.
constexpr int kDeepest = 200;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Named {
  std::string_view name;
  WhereOp op;
};
constexpr std::array<Named, 8> kRelations = {{{"==", WhereOp::kEqual},
                                              {"!=", WhereOp::kNotEqual},
                                              {"<=", WhereOp::kLessEqual},
                                              {">=", WhereOp::kGreaterEqual},
                                              {"=~", WhereOp::kMatches},
                                              {"!~", WhereOp::kNotMatches},
                                              {"<", WhereOp::kLess},
                                              {">", WhereOp::kGreater}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  WhereExpression parse() {
    skip_blanks();
    if (at_ == text_.size()) fail(at_, "expected a condition", "write a condition like qty > 100");
    expression_.root = parse_or();
    if (at_ < text_.size()) {
      fail(at_, fmt::format("unexpected '{}' after the condition", text_.substr(at_)),
           "join conditions with && or ||, and put texts in quotes");
    }
    return std::move(expression_);
  }

 private:
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) {
        parser_.fail(parser_.at_, "parentheses nested too deeply", "split the condition");
      }
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& what, std::string_view remedy) const {
    throw Failure(fmt::format("at character {} of '{}': {}; {}", at + 1, text_, what, remedy));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }

  bool take(std::string_view token) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(token) || (token == "&" && rest.starts_with("&&"))) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  std::string_view name_here() const {
    if (at_ == text_.size() || !is_name_start(text_[at_])) return {};
    std::size_t end = at_;
    while (end < text_.size() &&
           (is_name_start(text_[end]) || is_digit(text_[end]) ||
            (text_[end] == '.' && end + 1 < text_.size() && is_name_start(text_[end + 1])))) {
      ++end;
    }
    return text_.substr(at_, end - at_);
  }

  bool take_word(std::string_view word) {
    if (name_here() != word) return false;
    return take(word);
  }

  static WhereNode join(WhereOp op, std::size_t at, WhereNode a, WhereNode b) {
    WhereNode node;
    node.op = op;
    node.at = at;
    node.parts.push_back(std::move(a));
    node.parts.push_back(std::move(b));
    return node;
  }

  static WhereNode wrap(WhereOp op, std::size_t at, WhereNode inner) {
    WhereNode node;
    node.op = op;
    node.at = at;
    node.parts.push_back(std::move(inner));
    return node;
  }

  using Rule = WhereNode (Parser::*)();
  WhereNode parse_chain(Rule part, std::initializer_list<Named> operators) {
    WhereNode node = (this->*part)();
    for (int length = 0;; ++length) {
      const std::size_t at = at_;
      const auto found = std::find_if(operators.begin(), operators.end(),
                                      [&](const Named& one) { return take(one.name); });
      if (found == operators.end()) return node;
      // A chain leans to the left: its depth is its length.
      if (length > kDeepest) fail(at, "too many terms", "split the condition");
      node = join(found->op, at, std::move(node), (this->*part)());
    }
  }

  WhereNode parse_or() {
    const Depth depth(*this);
    return parse_chain(&Parser::parse_and, {{"||", WhereOp::kOr}});
  }
  WhereNode parse_and() { return parse_chain(&Parser::parse_not, {{"&&", WhereOp::kAnd}}); }

  WhereNode parse_not() {
    const Depth depth(*this);
    const std::size_t at = at_;
    if (text_.substr(at_).starts_with("!~") || !take("!")) return parse_relation();
    return wrap(WhereOp::kNot, at, parse_not());
  }

  WhereNode parse_relation() {
    WhereNode left = parse_sum();
    const std::size_t at = at_;
    if (take_word("in")) return parse_list(at, std::move(left));
    for (const Named& one : kRelations) {
      if (!take(one.name)) continue;
      if (one.op != WhereOp::kMatches && one.op != WhereOp::kNotMatches) {
        WhereNode right = parse_sum();
        name_levels(left, right);
        name_levels(right, left);
        return join(one.op, at, std::move(left), std::move(right));
      }
      WhereNode right = parse_unary();
      if (right.op != WhereOp::kText) {
        fail(right.at, fmt::format("expected a regular expression after {}", one.name),
             "put it in quotes");
      }
      WhereNode node = wrap(one.op, at, std::move(left));
      std::string why;
      if (!node.expression.parse(right.text, &why)) {
        throw Failure(fmt::format("at character {} of '{}': {}", right.at + 1, text_, why));
      }
      return node;
    }
    if (at_ < text_.size() && text_[at_] == '=') {
      fail(at_, "= is not an operator", "write == for equality or =~ for a regular expression");
    }
    return left;
  }

  WhereNode parse_list(std::size_t at, WhereNode left) {
    WhereNode node = wrap(WhereOp::kIn, at, std::move(left));
    if (!take("(")) fail(at_, "expected a list after in", "write x in (1, 2)");
    do {
      WhereNode item = parse_sum();
      name_levels(node.parts.front(), item);
      node.parts.push_back(std::move(item));
    } while (take(","));
    if (!take(")")) fail(at_, "unterminated list", "close it with )");
    return node;
  }

  // In level == "ERROR" the text becomes the number.
  void name_levels(const WhereNode& level, WhereNode& text) const {
    const bool is_level = level.op == WhereOp::kProperty && level.property == Property::kLevel;
    if (!is_level || text.op != WhereOp::kText) return;
    const auto found = level_of_name(text.text);
    if (!found) {
      fail(text.at, fmt::format("invalid level '{}'", text.text), "use one of " + level_names());
    }
    text.op = WhereOp::kNumber;
    text.number = WhereNumber::of_integer(static_cast<int>(*found));
  }

  WhereNode parse_sum() {
    return parse_chain(&Parser::parse_product, {{"+", WhereOp::kAdd}, {"-", WhereOp::kSubtract}});
  }
  WhereNode parse_product() {
    return parse_chain(
        &Parser::parse_unary,
        {{"*", WhereOp::kMultiply}, {"/", WhereOp::kDivide}, {"&", WhereOp::kBitAnd}});
  }

  WhereNode parse_unary() {
    const Depth depth(*this);
    WhereNode node;
    node.at = at_;
    if (take("-")) return wrap(WhereOp::kNegate, node.at, parse_unary());
    if (take("(")) {
      node = parse_or();
      if (!take(")")) fail(at_, "missing closing parenthesis", "close it with )");
      return node;
    }
    if (at_ == text_.size()) {
      fail(at_, "expected a value", "write a number, a quoted text or the name of a field");
    }
    const char first = text_[at_];
    if (first == '"' || first == '\'') return parse_text(first);
    if (first == '`') return parse_quoted_field();
    if (first == '@') return parse_marked_property();
    if (is_digit(first) || first == '.') return parse_literal_number();
    const std::string_view name = name_here();
    if (name.empty()) {
      fail(at_, fmt::format("invalid value '{}'", first),
           "write a number, a quoted text or the name of a field");
    }
    at_ += name.size();
    skip_blanks();
    resolve(name, node);
    return node;
  }

  void resolve(std::string_view name, WhereNode& node) {
    if (name == "true" || name == "false") {
      node.op = WhereOp::kBoolean;
      node.boolean = name == "true";
      return;
    }
    if (name == "msg") {
      node.op = WhereOp::kMessage;
      expression_.uses_message = true;
      return;
    }
    if (const PropertyEntry* const property = find_property(name)) {
      name_property(*property, node);
      expression_.plain_names.emplace_back(name);
      return;
    }
    if (const auto level = level_of_constant(name)) {
      node.op = WhereOp::kNumber;
      node.number = WhereNumber::of_integer(static_cast<int>(*level));
      return;
    }
    name_field(name, node);
  }

  void name_property(const PropertyEntry& property, WhereNode& node) {
    node.op = WhereOp::kProperty;
    node.property = property.property;
    expression_.properties |= property_bit(property.property);
  }

  WhereNode parse_marked_property() {
    WhereNode node;
    node.at = at_++;
    const std::string_view name = name_here();
    const PropertyEntry* const property = find_property(name);
    if (property == nullptr) {
      fail(node.at, fmt::format("unknown property '@{}'", name), "use one of " + property_names());
    }
    name_property(*property, node);
    at_ += name.size();
    skip_blanks();
    return node;
  }

  void name_field(std::string_view name, WhereNode& node) {
    node.op = WhereOp::kField;
    node.text = name;
    auto& names = expression_.field_names;
    const auto known = std::find(names.begin(), names.end(), name);
    node.slot = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) names.emplace_back(name);
  }

  WhereNode parse_quoted_field() {
    WhereNode node;
    node.at = at_;
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) fail(at_, "unterminated field name", "close it with `");
    name_field(text_.substr(at_ + 1, end - at_ - 1), node);
    at_ = end + 1;
    skip_blanks();
    return node;
  }

  WhereNode parse_text(char quote) {
    WhereNode node;
    node.op = WhereOp::kText;
    node.at = at_;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      // Other backslashes are kept, for regular expressions.
      const bool escapes = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           (text_[at_ + 1] == quote || text_[at_ + 1] == '\\');
      if (escapes) ++at_;
      node.text += text_[at_];
    }
    if (at_ == text_.size()) fail(node.at, "unterminated text", "close it with its quote");
    ++at_;
    skip_blanks();
    return node;
  }

  WhereNode parse_literal_number() {
    WhereNode node;
    node.op = WhereOp::kNumber;
    node.at = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent_sign = (c == '-' || c == '+') && at_ > node.at &&
                                 (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                                 !text_.substr(node.at).starts_with("0x");
      if (!is_digit(c) && !is_name_start(c) && c != '.' && !exponent_sign) break;
      ++at_;
    }
    const std::string_view digits = text_.substr(node.at, at_ - node.at);
    if (!parse_number(digits, node.number)) {
      fail(node.at, fmt::format("invalid number '{}'", digits), "write 100, 0x64, 1.5 or 1e3");
    }
    skip_blanks();
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  WhereExpression expression_;
};

}  // namespace

std::optional<WhereExpression> parse_where(std::string_view text, std::string* why) {
  try {
    return Parser(text).parse();
  } catch (const Failure& failure) {
    *why = failure.what();
    return {};
  }
}

}  // namespace ringside::trace
