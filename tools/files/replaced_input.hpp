#pragma once
// Protects what a command reads from what it writes.

#include <span>
#include <string>

namespace ringside::tool {

// Why `output` must not be written: the message, if it exists and is one of the files that `inputs`
// (files, or directories of traces) mean, by whatever name; else empty. Call it with the paths as
// the user named them.
std::string fault_of_replaced_input(const std::string& output, std::span<const std::string> inputs);

}  // namespace ringside::tool
