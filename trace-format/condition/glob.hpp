#pragma once
// Globs of shells: * ? and [a-z].

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trace {

bool glob_fits(const std::string& glob, std::string_view text);

// Whether one of the globs fits one of the texts.
bool any_glob_fits(const std::vector<std::string>& globs,
                   std::initializer_list<std::string_view> texts);

// Whether one of the globs fits the service's name, which may be the one that it calls itself or
// the one that its segment's file has (shm-layout/segment_name.hpp), as the globs may.
bool any_service_glob_fits(const std::vector<std::string>& globs, std::string_view service);

}  // namespace ringside::trace
