#pragma once
// Names for the fields of a message, from the source text of its arguments.

#include <span>
#include <string_view>

namespace ringside {

// `arguments` is the source text in the macro call: the format literal, then the arguments.
// Names[i] becomes the text of the i-th argument, cut to shm::kMaxFieldNameBytes; a view into
// `arguments`. If the arguments cannot be separated, each name becomes the text of all of them.
void split_argument_names(std::string_view arguments, std::span<std::string_view> names);

}  // namespace ringside
