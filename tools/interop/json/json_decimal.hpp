#pragma once
// Decimal numbers of JSON as integers of a smaller unit, without the loss of a double.

#include <cstdint>
#include <optional>

#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool {

// A number, or a text of one, times 10 to the power of `decimals`, rounded; nothing if it is none,
// or does not fit.
std::optional<std::int64_t> scaled_decimal(const JsonNode& number, unsigned decimals);

}  // namespace ringside::tool
