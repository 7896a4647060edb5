#pragma once
// `ringcat [print] PATH...`: the records of trace files, in time order.

namespace ringside::tool {

int run_print(int argc, char** argv);

}  // namespace ringside::tool
