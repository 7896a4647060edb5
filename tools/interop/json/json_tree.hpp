#pragma once
// One JSON object as a list of values, for the readers of JSON formats.

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
  kLarge,     // an integer that needs 128 bits; negative in two's complement
  kFloating,  // all other numbers, and NaN, Infinity, -Infinity, which some writers use
  kString,
  kArray,
  kObject,
};

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  bool is_negative = false;  // of kLarge
  std::uint32_t end = 0;     // the index after it and everything in it
  std::string_view key;      // of a member of an object
  std::string_view text;     // a string's text; for all others the bytes of the file
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  double floating = 0;

  bool is_text() const { return kind == JsonKind::kString; }
  bool is_integer() const { return kind == JsonKind::kSigned || kind == JsonKind::kUnsigned; }
};

// Memory: the largest object parsed. Duplicate keys are all kept. Single surrogates, which UTF-8
// cannot represent, become U+FFFD. Not thread-safe.
class JsonTree {
 public:
  // Deeper nesting is damage.
  static constexpr unsigned kMostDepth = 64;

  JsonTree();
  ~JsonTree();
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  // `text` is one object, which white space can surround. Otherwise returns false and reports the
  // error and its offset. The nodes' references are valid until the next call.
  bool parse(std::span<const std::byte> text);
  const std::string& why() const { return why_; }
  std::size_t damaged_at() const { return damaged_at_; }

  // The object comes first; the contents of a value follow it.
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

// False if it is neither a number of JSON (RFC 8259) nor one that kFloating names.
bool parse_json_number(std::string_view text, JsonNode& node);

}  // namespace ringside::tool
