#include "tools/interop/perfetto/perfetto_descriptor.hpp"

#include "tools/interop/perfetto/perfetto_import.hpp"
#include "tools/interop/perfetto/perfetto_inspect.hpp"
#include "tools/interop/perfetto/perfetto_reader.hpp"
#include "tools/interop/perfetto/perfetto_writer.hpp"

namespace ringside::tool {

constinit const ForeignFormat kPerfettoFormat = {.name = "perfetto",
                                                 .description = "Perfetto's protobuf traces",
                                                 .recognise = perfetto::recognise,
                                                 .read = read_perfetto,
                                                 .inspect = inspect_perfetto,
                                                 .draws_spans = true,
                                                 .draws_stacks = true,
                                                 .write = write_perfetto};

}  // namespace ringside::tool
