#pragma once
// `ringcat inspect FILE`: the contents of a file of any format.

namespace ringside::tool {

int run_inspect(int argc, char** argv);

}  // namespace ringside::tool
