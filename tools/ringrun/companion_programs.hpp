#pragma once
// Where consumerd and ringcat are: beside ringrun, in the same build, or in PATH.

#include <string>

namespace ringside::tool {

// The path of `name`, or `name` itself, which is then searched for in PATH.
std::string companion_program(const std::string& name);

}  // namespace ringside::tool
