#pragma once
// ringctl fleet: the program of another package.

namespace ringside::tool {

// Replaces this process by ringfleet, if that is installed.
int run_fleet(int argc, char** argv);

}  // namespace ringside::tool
