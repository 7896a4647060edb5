// Client-supplied text in trace statements: cut, so that a megabyte key costs no more than 64
// bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kvd {

inline constexpr std::size_t kTracedTextBytes = 64;

// The precision for "%.*s"; the argument after it is text.data().
[[nodiscard]] inline int traced_length(std::string_view text) {
  return static_cast<int>(std::min(text.size(), kTracedTextBytes));
}

}  // namespace kvd
