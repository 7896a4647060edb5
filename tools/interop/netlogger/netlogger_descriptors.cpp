#include "tools/interop/netlogger/netlogger_descriptors.hpp"

#include "tools/interop/netlogger/netlogger_collector.hpp"
#include "tools/interop/netlogger/netlogger_format.hpp"
#include "tools/interop/netlogger/ulm_collector.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"

namespace ringside::tool {

constinit const ForeignFormat kNetLoggerFormat = {.name = "netlogger",
                                                  .description = "NetLogger's binary messages",
                                                  .recognise = recognise_netlogger,
                                                  .read = read_netlogger,
                                                  .collect = collect_netlogger,
                                                  .inspect = inspect_netlogger,
                                                  .forwards = true,
                                                  .write = write_netlogger};

constinit const ForeignFormat kNetLogger10Format = {
    .name = "netlogger-1.0",
    .description = "NetLogger's binary messages without numbers of 64 bits",
    .forwards = true,
    .write = write_netlogger_1_0};

constinit const ForeignFormat kUlmFormat = {
    .name = "ulm",
    .description = "Universal Logger Messages, NetLogger's text",
    .recognise = recognise_ulm,
    .read = read_ulm,
    .collect = collect_ulm,
    .inspect = inspect_ulm,
    .forwards = true,
    .write = write_ulm};

}  // namespace ringside::tool
