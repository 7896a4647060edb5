#pragma once
// `ringcat statements PATH...`: every statement of the traces, executed or not.

namespace ringside::tool {

int run_statements(int argc, char** argv);

}  // namespace ringside::tool
