#pragma once
// ringctl list: services, their statements or their threads.

namespace ringside::tool {

int run_list(int argc, char** argv);

}  // namespace ringside::tool
