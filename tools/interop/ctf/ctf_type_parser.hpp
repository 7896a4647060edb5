#pragma once
// Parses the types of TSDL, and the blocks that contain them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_metadata.hpp"
#include "tools/interop/ctf/ctf_tsdl_lexer.hpp"

namespace ringside::tool::ctf {

// Types by name; `struct x`, `enum x` and `variant x` are separate names.
using Scope = std::map<std::string, TypePointer>;

// `key = value` of a block.
struct Attribute {
  std::string text;
  std::uint64_t number = 0;
  bool is_number = false;
  bool is_negative = false;
};

// The first failure ends the parsing: nothing after it is read.
class TypeParser {
 protected:
  TypeParser(std::string_view text, MetadataError* error) : lexer_(text), error_(error) {
    scopes_.emplace_back();
    advance();
  }
  ~TypeParser() = default;

  void advance() {
    if (!failed_ && !lexer_.next(token_)) fail(std::string(token_.text));
  }
  void fail(std::string why) {
    if (failed_) return;
    failed_ = true;
    error_->offset = token_.offset;
    error_->message = std::move(why);
    token_ = {};
  }
  bool take(std::string_view mark) {
    if (!token_.is(mark)) return false;
    advance();
    return true;
  }
  void expect(std::string_view mark) {
    if (!failed_ && !take(mark)) {
      fail(fmt::format("expected '{}', found '{}'", mark, token_.text));
    }
  }
  bool take_word(std::string_view word) {
    if (!token_.is_word(word)) return false;
    advance();
    return true;
  }
  std::string word() {
    if (token_.kind != TokenKind::kWord) {
      fail(fmt::format("expected a name, found '{}'", token_.text));
      return {};
    }
    std::string text = token_.text;
    advance();
    return text;
  }
  std::string dotted() {
    std::string path = word();
    while (!failed_ && take(".")) path += "." + word();
    return path;
  }

  // { key = value; key := type; ... };
  template <class OnValue, class OnType>
  void block(OnValue&& on_value, OnType&& on_type) {
    expect("{");
    scopes_.emplace_back();
    while (!failed_ && !take("}")) {
      if (take(";")) continue;
      if (token_.is_word("typealias") || token_.is_word("typedef")) {
        alias();
        continue;
      }
      const std::string first = dotted();
      if (failed_) break;
      if (take(":=")) {
        on_type(first, type());
      } else if (take("=")) {
        on_value(first, value());
      } else {
        // Declares a structure, enumeration or variant for the following text.
        type_named(first);
      }
      expect(";");
    }
    scopes_.pop_back();
  }
  template <class OnValue>
  void block(OnValue&& on_value) {
    block(on_value, [](const std::string&, const TypePointer&) {});
  }

  Attribute value() {
    Attribute a;
    a.is_negative = take("-");
    if (!a.is_negative) take("+");
    a.is_number = token_.kind == TokenKind::kNumber;
    if (token_.kind == TokenKind::kWord) {
      a.text = dotted();
      return a;
    }
    if (!a.is_number && token_.kind != TokenKind::kText) fail("expected a value");
    a.number = a.is_negative ? 0 - token_.number : token_.number;
    a.text = a.is_number ? (a.is_negative ? "-" : "") + std::to_string(token_.number) : token_.text;
    advance();
    return a;
  }

  std::uint64_t number_of(const Attribute& a) {
    if (!a.is_number) fail(fmt::format("expected a number, found '{}'", a.text));
    return a.number;
  }

  const TypePointer* find(const std::string& name) const;
  TypePointer named(const std::string& name);
  void define(const std::string& name, TypePointer type);
  TypePointer type();
  // `first` has been taken already.
  TypePointer type_named(const std::string& first);
  // "unsigned long": all words that name a type, except the last if it can be the field's name.
  TypePointer by_words(std::string name);
  // The stars of a pointer belong to its name: CTF has no type for pointed-to values.
  void stars(std::string& name);
  void common(const std::string& key, const Attribute& a, Type& type);
  TypePointer integer();
  static std::uint32_t base_of(const Attribute& a);
  // "clock.NAME.value".
  static std::string clock_of(std::string_view path);
  TypePointer floating_point();
  TypePointer string();
  TypePointer enumeration();
  TypePointer structure();
  TypePointer variant();
  // { type name[length], ...; ... }
  void members(Type& type);
  // The first dimension is the outermost.
  TypePointer dimensions(const TypePointer& element);
  // typealias TYPE := NAME...; typedef TYPE NAME[...], ...;
  void alias();

  Lexer lexer_;
  MetadataError* error_;
  Token token_;
  bool failed_ = false;
  unsigned depth_ = 0;
  std::vector<Scope> scopes_;
};

}  // namespace ringside::tool::ctf
