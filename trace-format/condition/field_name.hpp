#pragma once
// Fields of printf statements are called by their argument expressions, such as `order->qty`.

#include <cstddef>
#include <optional>
#include <string_view>

#include "trace-format/site_table.hpp"

namespace ringside::trace {

// What one would call it: qty for order->qty, name for name.c_str(), n for (int)n. Empty if it
// has no identifier at its end.
std::string_view short_field_name(std::string_view name);

// The field called `name`, or else the only one whose short name that is.
std::optional<std::size_t> find_field(const Site& site, std::string_view name);

}  // namespace ringside::trace
