#include "trace-format/condition/glob.hpp"

#include <algorithm>
#include <fnmatch.h>

namespace ringside::trace {

bool glob_fits(const std::string& glob, std::string_view text) {
  return fnmatch(glob.c_str(), std::string(text).c_str(), 0) == 0;
}

bool any_glob_fits(const std::vector<std::string>& globs,
                   std::initializer_list<std::string_view> texts) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return glob_fits(glob, text); });
  });
}

}  // namespace ringside::trace
