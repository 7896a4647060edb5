#pragma once
// `ringcat collected PATH...`: what was collected over time, and who changed it.

namespace ringside::tool {

int run_collected(int argc, char** argv);

}  // namespace ringside::tool
