#pragma once
// `ringcat repair IN OUT`, `ringcat slice IN... -o OUT` and `ringcat merge IN... -o OUT`.

namespace ringside::tool {

int run_repair(int argc, char** argv);
int run_slice(int argc, char** argv);
int run_merge(int argc, char** argv);

}  // namespace ringside::tool
