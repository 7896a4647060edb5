#pragma once
// Splits a stream of JSON into values without interpreting them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool {

enum class JsonCut : std::uint8_t {
  kValue,
  kEnd,      // of the input, within the value
  kTooLong,  // longer than the caller's limit
  kNone,     // no value begins here
};

// Memory: the longest value of cut(). Not thread-safe.
class JsonCutter {
 public:
  explicit JsonCutter(InputBytes& input) : input_(input) {}

  // Skips white space; returns the next character, or 0 at the end.
  char next();
  // Skips `character` if it comes next.
  bool pass(char character);

  // Returns the value that begins at the input's offset, without skipping it. Only its brackets are
  // checked here; its reader checks the rest.
  JsonCut cut(std::size_t most_bytes, std::span<const std::byte>& value);

  // Skips a value of any length.
  JsonCut pass_value();

 private:
  InputBytes& input_;
};

}  // namespace ringside::tool
