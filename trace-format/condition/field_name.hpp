#pragma once
// Fields of printf statements are named by their argument expressions, such as `order->qty`.
// Earlier libraries stored whole expressions, such as `static_cast<int>(order->qty)`.

#include <cstddef>
#include <optional>
#include <string_view>

#include "trace-format/codec/site_table.hpp"

namespace ringside::trace {

// The short name: qty for order->qty, name for name.c_str(), size for name.size(). Empty if the
// expression has no identifier at its end.
std::string_view short_field_name(std::string_view name);

// The field with the name `name`; or else the only one with this name without conversions, as in
// static_cast<int>(qty); or else the only one with this short name.
std::optional<std::size_t> find_field(const Site& site, std::string_view name);

// Whether any field has this name, with or without conversions, or this short name.
bool has_field(const Site& site, std::string_view name);

}  // namespace ringside::trace
