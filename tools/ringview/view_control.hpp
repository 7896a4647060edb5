#pragma once
// Changes that a page asks for, made by ringctl.

#include <string>
#include <string_view>
#include <vector>

namespace ringside::tool {

// The arguments of ringctl for a request: JSON with `action` and its members (README.md,
// "Control"). Each value is a part of one option. False with `*why` if it is not such a request.
bool control_command(std::string_view request, const std::string& shm_dir,
                     std::vector<std::string>& command, std::string* why);

}  // namespace ringside::tool
