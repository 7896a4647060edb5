#pragma once
// ringctl stacks on, ringctl stacks off.

namespace ringside::tool {

int run_stacks_switch(int argc, char** argv);

}  // namespace ringside::tool
