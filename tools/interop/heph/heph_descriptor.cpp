#include "tools/interop/heph/heph_descriptor.hpp"

#include "tools/interop/heph/heph_format.hpp"

namespace ringside::tool {

constinit const ForeignFormat kHephFormat = {.name = "heph",
                                             .description = "Heph traces, version 0.1.0",
                                             .recognise = recognise_heph,
                                             .read = read_heph,
                                             .inspect = inspect_heph,
                                             .write = write_heph};

}  // namespace ringside::tool
