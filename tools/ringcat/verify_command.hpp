#pragma once
// `ringcat verify PATH...`: checks whether files are complete and consistent.

namespace ringside::tool {

int run_verify(int argc, char** argv);

}  // namespace ringside::tool
