#pragma once
// `ringcat crash PATH...`: how each process ended, and what its threads did last.

namespace ringside::tool {

int run_crash(int argc, char** argv);

}  // namespace ringside::tool
