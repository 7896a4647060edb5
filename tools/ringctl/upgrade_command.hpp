#pragma once
// `ringctl upgrade`.

namespace ringside::tool {

int run_upgrade(int argc, char** argv);

}  // namespace ringside::tool
