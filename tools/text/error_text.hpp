#pragma once
// The system's text for an errno.

#include <string>
#include <system_error>

namespace ringside::tool {

inline std::string error_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace ringside::tool
