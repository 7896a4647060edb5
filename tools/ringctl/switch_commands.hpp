#pragma once
// ringctl enable, ringctl disable, ringctl count, ringctl level.

namespace ringside::tool {

int run_enable(int argc, char** argv);
int run_disable(int argc, char** argv);
int run_count(int argc, char** argv);
int run_level(int argc, char** argv);

}  // namespace ringside::tool
