#pragma once
// The programs of a fleet that users do not start themselves.

#include <filesystem>
#include <string>

namespace ringside::fleet {

// Where the program is: in the same build, in the same prefix, or where it was configured to be.
// Empty if it is nowhere.
std::string fleet_program_path(const char* name);
// The same for a program at `own`; only where it was configured to be if that is not known.
std::string fleet_program_path(const char* name, const std::filesystem::path& own);

}  // namespace ringside::fleet
