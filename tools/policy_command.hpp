#pragma once
// ringctl policy: what services do when a ring is full.

namespace ringside::tool {

int run_policy(int argc, char** argv);

}  // namespace ringside::tool
