#pragma once
// NDJSON: one object per line.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool::ndjson {

// Memory: the longest line, at most kMostLineBytes. Not thread-safe.
class Lines {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;

  explicit Lines(InputBytes& input) : input_(input) {}

  // Moves to the next line with an object; skips empty lines. False at the end, and if the next
  // line is not an object: then why() is not empty.
  bool next();
  const JsonTree& tree() const { return tree_; }
  std::uint64_t offset() const { return offset_; }  // of the line, or of the damage
  std::uint64_t line() const { return line_; }      // its number, from 1
  const std::string& why() const { return why_; }

 private:
  bool fail(std::string why, std::size_t at);

  InputBytes& input_;
  JsonTree tree_;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 0;
  std::string why_;
};

}  // namespace ringside::tool::ndjson
