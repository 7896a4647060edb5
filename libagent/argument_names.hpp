#pragma once
// Names for the fields of a message, from the source text of its arguments.

#include <span>
#include <string_view>

namespace ringside {

// `arguments` is what stood in the macro call: the format literal, then the arguments. Names[i]
// becomes the text of the i-th argument, cut to 64 bytes; a view into `arguments`.
void split_argument_names(std::string_view arguments, std::span<std::string_view> names);

}  // namespace ringside
