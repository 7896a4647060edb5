#pragma once
// ringctl policy: the behaviour of services when a ring is full.

namespace ringside::tool {

int run_policy(int argc, char** argv);

}  // namespace ringside::tool
