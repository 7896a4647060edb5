#include "tools/interop/nanolog/nanolog_descriptor.hpp"

#include "tools/interop/nanolog/nanolog_format.hpp"

namespace ringside::tool {

constinit const ForeignFormat kNanoLogFormat = {
    .name = "nanolog",
    .description = "log files of NanoLog, of its C++17 and preprocessor versions",
    .recognise = recognise_nanolog,
    .read = read_nanolog,
    .inspect = inspect_nanolog};

}  // namespace ringside::tool
