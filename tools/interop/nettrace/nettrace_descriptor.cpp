#include "tools/interop/nettrace/nettrace_descriptor.hpp"

#include "tools/interop/nettrace/nettrace_collector.hpp"
#include "tools/interop/nettrace/nettrace_import.hpp"
#include "tools/interop/nettrace/nettrace_inspect.hpp"
#include "tools/interop/nettrace/nettrace_reader.hpp"
#include "tools/interop/nettrace/nettrace_writer.hpp"

namespace ringside::tool {

constinit const ForeignFormat kNetTraceFormat = {
    .name = "nettrace",
    .description =
        "EventPipe of .NET: NetTrace, versions 4 and 5; NetPerf, versions 1 to 3, read only",
    .recognise = nettrace::recognise,
    .read = read_nettrace,
    .collect = collect_nettrace,
    .inspect = inspect_nettrace,
    .write = write_nettrace};

}  // namespace ringside::tool
