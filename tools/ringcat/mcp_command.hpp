#pragma once
// `ringcat mcp PATH...`: answers questions of programs about traces, on standard streams.

namespace ringside::tool {

int run_mcp(int argc, char** argv);

}  // namespace ringside::tool
