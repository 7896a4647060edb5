#include "tools/interop/ringtrace_descriptor.hpp"

#include "tools/interop/ringtrace_format.hpp"

namespace ringside::tool {

constinit const ForeignFormat kRingtraceFormat = {.name = "ringtrace",
                                                  .description = "Ringside's own trace files",
                                                  .recognise = recognise_ringtrace,
                                                  .inspect = inspect_ringtrace,
                                                  .states_collection = true,
                                                  .write = write_ringtrace};

}  // namespace ringside::tool
