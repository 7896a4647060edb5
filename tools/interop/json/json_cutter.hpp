#pragma once
// Cuts a stream of JSON into values, without a look at what they say.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool {

enum class JsonCut : std::uint8_t {
  kValue,
  kEnd,      // of the input, within the value
  kTooLong,  // longer than what was asked for
  kNone,     // no value begins here
};

// Memory is that of the longest value that is cut(). Not thread-safe.
class JsonCutter {
 public:
  explicit JsonCutter(InputBytes& input) : input_(input) {}

  // Passes white space; what comes then, or 0 at the end.
  char next();
  // Passes `character` if it comes next.
  bool pass(char character);

  // The value that begins at the input's offset, which it does not pass. Whether it is sound but
  // for its brackets, its reader finds out.
  JsonCut cut(std::size_t most_bytes, std::span<const std::byte>& value);

  // Passes a value of any length.
  JsonCut pass_value();

 private:
  InputBytes& input_;
};

}  // namespace ringside::tool
