#pragma once
// One JSON object as a list of values: what the readers of JSON formats look at.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::tool {

enum class JsonKind : std::uint8_t {
  kNull,
  kBool,      // low: 0 or 1
  kSigned,    // a negative integer of 64 bits: low
  kUnsigned,  // another integer of 64 bits: low
  kLarge,     // an integer that needs 128 bits; negative ones in two's complement
  kFloating,  // all other numbers, and NaN, Infinity, -Infinity, which some writers have
  kString,
  kArray,
  kObject,
};

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  bool is_negative = false;  // of kLarge
  std::uint32_t end = 0;     // the index behind it and all that is in it
  std::string_view key;      // of a member of an object
  std::string_view text;     // a string's; of all others as they stand in the file
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  double floating = 0;

  bool is_text() const { return kind == JsonKind::kString; }
  bool is_integer() const { return kind == JsonKind::kSigned || kind == JsonKind::kUnsigned; }
};

// Memory is that of the largest object parsed. Keys may come more than once: all are there. Halves
// of surrogates, which no UTF-8 has, become U+FFFD. Not thread-safe.
class JsonTree {
 public:
  // Deeper nesting is damage.
  static constexpr unsigned kMostDepth = 64;

  JsonTree();
  ~JsonTree();
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  // `text` is one object, perhaps with white space around it. If it is not: false, what is wrong,
  // and where. What nodes refer to is valid until the next call.
  bool parse(std::span<const std::byte> text);
  const std::string& why() const { return why_; }
  std::size_t damaged_at() const { return damaged_at_; }

  // The object is the first; what is in a value follows it.
  std::span<const JsonNode> nodes() const { return nodes_; }

  // Calls visit(index) for each member or element of the value at `index`.
  template <class Visit>
  void for_each_in(std::uint32_t index, Visit&& visit) const {
    for (std::uint32_t i = index + 1; i < nodes_[index].end; i = nodes_[i].end) visit(i);
  }

 private:
  struct Parser;

  bool damage(std::string why, std::size_t at);

  std::unique_ptr<Parser> parser_;
  std::vector<JsonNode> nodes_;
  std::string why_;
  std::size_t damaged_at_ = 0;
};

// False if it is no number of JSON (RFC 8259), nor one of those that kFloating names.
bool parse_json_number(std::string_view text, JsonNode& node);

}  // namespace ringside::tool
