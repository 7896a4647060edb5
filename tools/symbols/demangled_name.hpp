#pragma once
// Names of functions and types as they are in the source.

#include <string>

namespace ringside::tool {

// The name itself if it is not a mangled one of C++.
std::string demangled_function(const std::string& name);
// The same for the name of a type, as std::type_info has it.
std::string demangled_type(const std::string& name);

}  // namespace ringside::tool
