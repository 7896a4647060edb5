#include "tools/interop/heph/heph_descriptor.hpp"

#include "tools/interop/heph/heph_collector.hpp"
#include "tools/interop/heph/heph_datagrams.hpp"
#include "tools/interop/heph/heph_format.hpp"

namespace ringside::tool {

constinit const ForeignFormat kHephFormat = {.name = "heph",
                                             .description = "Heph traces, version 0.1.0",
                                             .recognise = recognise_heph,
                                             .read = read_heph,
                                             .collect = collect_heph,
                                             .collect_datagrams = collect_heph_datagrams,
                                             .inspect = inspect_heph,
                                             .draws_spans = true,
                                             .forwards = true,
                                             .first_packet = heph::first_packet_facts,
                                             .write = write_heph};

}  // namespace ringside::tool
