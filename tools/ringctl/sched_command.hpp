#pragma once
// ringctl sched.

namespace ringside::tool {

int run_sched(int argc, char** argv);

}  // namespace ringside::tool
