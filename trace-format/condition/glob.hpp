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

}  // namespace ringside::trace
