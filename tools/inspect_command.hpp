#pragma once
// `ringcat inspect FILE`: what a file of any format consists of.

namespace ringside::tool {

int run_inspect(int argc, char** argv);

}  // namespace ringside::tool
