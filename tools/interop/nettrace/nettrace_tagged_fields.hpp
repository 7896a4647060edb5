#pragma once
// Values that an object can have after the fields of its version. Each begins with a tag, so that
// readers that do not know them can skip them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool::nettrace {

enum class TaggedEnd : std::uint8_t {
  kEnd,   // of the object
  kNone,  // not a field
  kCut,   // the bytes end first
};

// The result of the fields at the front of `bytes`.
TaggedEnd look_at_tagged_fields(std::span<const std::byte> bytes);

// Skips the fields and the tag that ends their object; if that tag is missing, skips as far as it
// can. Fields can have any length.
TaggedEnd pass_tagged_fields(InputBytes& input);

}  // namespace ringside::tool::nettrace
