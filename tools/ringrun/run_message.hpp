#pragma once
// ringrun's own messages: one line each on standard error.

#include <string>

namespace ringside::tool {

// "ringrun: TEXT"; control characters are escaped.
void report(const std::string& text);

// strerror of an errno value.
std::string reason_of(int error);

}  // namespace ringside::tool
