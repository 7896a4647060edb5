#pragma once
// Shell globs: * ? and [a-z].

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trace {

bool glob_fits(const std::string& glob, std::string_view text);
// ignores the case of ASCII letters
bool glob_fits_any_case(const std::string& glob, std::string_view text);

// Whether one of the globs matches one of the texts.
bool any_glob_fits(const std::vector<std::string>& globs,
                   std::initializer_list<std::string_view> texts);

// Whether one of the globs matches the service's name. Name and globs may be the original name or
// the one in its segment's file name (shm-layout/segment_name.hpp).
bool any_service_glob_fits(const std::vector<std::string>& globs, std::string_view service);

}  // namespace ringside::trace
