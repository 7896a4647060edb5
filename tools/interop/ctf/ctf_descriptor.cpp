#include "tools/interop/ctf/ctf_descriptor.hpp"

#include "tools/interop/ctf/ctf_import.hpp"
#include "tools/interop/ctf/ctf_inspect.hpp"
#include "tools/interop/ctf/ctf_writer.hpp"

namespace ringside::tool {

constinit const ForeignFormat kCtfFormat = {
    .name = "ctf",
    .description = "Common Trace Format 1.8, as written by LTTng: a directory",
    .recognise_directory = recognise_ctf,
    .read_directory = read_ctf,
    .inspect_directory = inspect_ctf,
    .write_directory = write_ctf};

}  // namespace ringside::tool
