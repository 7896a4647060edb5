#pragma once
// `ringcat verify PATH...`: are these files what their writer meant?

namespace ringside::tool {

int run_verify(int argc, char** argv);

}  // namespace ringside::tool
