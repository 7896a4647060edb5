#pragma once
// `ringcat stacks PATH...`: records with stacks, with the names of functions.

namespace ringside::tool {

int run_stacks(int argc, char** argv);

}  // namespace ringside::tool
