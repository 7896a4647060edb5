#pragma once
// `ringctl snapshot`.

namespace ringside::tool {

int run_snapshot(int argc, char** argv);

}  // namespace ringside::tool
