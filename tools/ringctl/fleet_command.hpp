#pragma once
// ringctl fleet: the program of another package.

namespace ringside::tool {

// Replaces this process by ringfleet, which is beside it or in PATH.
int run_fleet(int argc, char** argv);

}  // namespace ringside::tool
