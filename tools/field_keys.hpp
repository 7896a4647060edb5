#pragma once
// What a statement's fields are called where names must be there and differ.

#include <string>
#include <string_view>
#include <vector>

#include "trace-format/site_table.hpp"

namespace ringside::tool {

// One for each field: what `shape` makes of its name, or arg1, arg2 ... by its place if it has
// none; what came before, or stands in `taken`, gets #2, #3 ... at its end.
std::vector<std::string> field_keys(const trace::Site& site, std::string (*shape)(std::string_view),
                                    const std::vector<std::string_view>& taken = {});

}  // namespace ringside::tool
