#pragma once
// `ringcat [print] PATH...`: the records of trace files, in the order of time.

namespace ringside::tool {

int run_print(int argc, char** argv);

}  // namespace ringside::tool
