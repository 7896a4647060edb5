#pragma once
// A name as one part of a subject.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::fleet {

// A name as part of a subject, and of a path.
inline std::string subject_part(std::string_view name) {
  constexpr std::size_t kMostPartBytes = 100;
  std::string part(name.substr(0, kMostPartBytes));
  std::replace_if(
      part.begin(), part.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_');
      },
      '_');
  return part.empty() ? "_" : part;
}

}  // namespace ringside::fleet
