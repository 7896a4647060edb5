#pragma once
// Converts decimal numbers of JSON to integers of a smaller unit, without the rounding of a double.

#include <cstdint>
#include <optional>

#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool {

// A number, or a text with a number, times 10 to the power of `decimals`, rounded; empty if it is
// not a number or does not fit.
std::optional<std::int64_t> scaled_decimal(const JsonNode& number, unsigned decimals);

}  // namespace ringside::tool
