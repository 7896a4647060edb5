#include "trace-format/condition/glob.hpp"

#include <algorithm>
#include <fnmatch.h>

#include "shm-layout/segment_name.hpp"

namespace ringside::trace {
namespace {

// A glob for file names from `glob`: characters that file names cannot have become "_", except glob
// characters.
std::string service_file_glob(const std::string& glob) {
  std::string result;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const char c = glob[i];
    if (c == '[') {
      // A "]" that comes first, or after "!", is one of the characters.
      const std::size_t first = i + 1 + (glob.compare(i + 1, 1, "!") == 0 ? 1 : 0);
      const std::size_t end = glob.find(']', first + 1);
      if (end != std::string::npos) {
        result += glob.substr(i, end + 1 - i);
        i = end;
        continue;
      }
    }
    if (c == '\\' && i + 1 < glob.size()) {
      result += shm::service_file_char(glob[++i]);
    } else {
      result += c == '*' || c == '?' ? c : shm::service_file_char(c);
    }
  }
  return result;
}

}  // namespace

bool glob_fits(const std::string& glob, std::string_view text) {
  return fnmatch(glob.c_str(), std::string(text).c_str(), 0) == 0;
}

bool glob_fits_any_case(const std::string& glob, std::string_view text) {
  return fnmatch(glob.c_str(), std::string(text).c_str(), FNM_CASEFOLD) == 0;
}

bool any_glob_fits(const std::vector<std::string>& globs,
                   std::initializer_list<std::string_view> texts) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return glob_fits(glob, text); });
  });
}

bool any_service_glob_fits(const std::vector<std::string>& globs, std::string_view service) {
  if (any_glob_fits(globs, {service})) return true;
  std::string file_name(service);
  std::transform(file_name.begin(), file_name.end(), file_name.begin(), shm::service_file_char);
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return glob_fits(service_file_glob(glob), file_name);
  });
}

}  // namespace ringside::trace
