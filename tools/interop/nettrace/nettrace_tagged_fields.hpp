#pragma once
// What an object may hold behind the fields that its version has: values that each begin with a
// tag, so that readers which do not know them can pass over them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool::nettrace {

enum class TaggedEnd : std::uint8_t {
  kEnd,   // of the object
  kNone,  // something else than a field
  kCut,   // the bytes end before
};

// What comes of the fields that `bytes` begin with.
TaggedEnd look_at_tagged_fields(std::span<const std::byte> bytes);

// Passes over the fields and the tag that ends their object; if it is not there, as far as it gets.
// Fields may have any length.
TaggedEnd pass_tagged_fields(InputBytes& input);

}  // namespace ringside::tool::nettrace
