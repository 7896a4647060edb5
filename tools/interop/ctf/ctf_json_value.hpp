#pragma once
// Values of a fragment of CTF 2's metadata, and its properties as the specification defines them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool::ctf {

// A value of a parsed fragment, or none.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const JsonTree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}

  explicit operator bool() const { return tree_ != nullptr; }
  const JsonNode& node() const { return tree_->nodes()[index_]; }
  bool is_text() const { return tree_ != nullptr && node().is_text(); }
  bool is_null() const { return tree_ != nullptr && node().kind == JsonKind::kNull; }
  bool is_object() const { return tree_ != nullptr && node().kind == JsonKind::kObject; }
  bool is_array() const { return tree_ != nullptr && node().kind == JsonKind::kArray; }

  JsonValue member(std::string_view key) const;

  template <class Visit>
  void for_each(Visit&& visit) const {
    tree_->for_each_in(index_, [&](std::uint32_t index) { visit(JsonValue(*tree_, index)); });
  }

 private:
  const JsonTree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

// The properties of one object. `why` names the first property that is missing or has another type.
class JsonProperties {
 public:
  JsonProperties(JsonValue object, std::string& why) : object_(object), why_(why) {}

  // At least `least`. Required if there is no `absent`.
  std::uint64_t natural(std::string_view key, std::optional<std::uint64_t> absent,
                        std::uint64_t least = 0);
  std::int64_t integer(std::string_view key, std::int64_t absent);
  // In bits.
  std::uint32_t alignment(std::string_view key);
  std::string text(std::string_view key, std::optional<std::string_view> absent);
  // Null if it is absent.
  JsonValue object(std::string_view key);
  JsonValue array(std::string_view key);
  // For fragments and field classes: extensions change how data is read.
  void refuse_extensions();
  bool failed() const { return !why_.empty(); }

 private:
  void fail(std::string_view key, std::string_view what);

  JsonValue object_;
  std::string& why_;
};

}  // namespace ringside::tool::ctf
