#pragma once
// Fields that later versions put behind those of an object.

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::tool::nettrace {

inline constexpr std::size_t kNoTaggedFields = SIZE_MAX;

// How many bytes of `bytes` are tagged fields in front of the tag that ends the object; 0 as a
// rule. kNoTaggedFields if something else stands there, or the bytes end before.
std::size_t tagged_fields_bytes(std::span<const std::byte> bytes);

}  // namespace ringside::tool::nettrace
