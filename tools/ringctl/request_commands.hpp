#pragma once
// ringctl flush, ringctl rotate: requests to consumerd.

namespace ringside::tool {

int run_flush(int argc, char** argv);
int run_rotate(int argc, char** argv);

}  // namespace ringside::tool
