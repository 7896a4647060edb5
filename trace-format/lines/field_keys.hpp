#pragma once
// Names of a statement's fields where each field needs a unique name.

#include <string>
#include <string_view>
#include <vector>

#include "trace-format/codec/site_table.hpp"

namespace ringside::trace {

// One name per field: the result of `shape` for its name, or arg1, arg2 ... by its position if it
// has none. A name that occurred before, or is in `taken`, gets the suffix #2, #3 ...
std::vector<std::string> field_keys(const Site& site, std::string (*shape)(std::string_view),
                                    const std::vector<std::string_view>& taken = {});

}  // namespace ringside::trace
