#include "tools/interop/tptp/tptp_descriptors.hpp"

#include "tools/interop/tptp/tptp_collector.hpp"
#include "tools/interop/tptp/tptp_import.hpp"
#include "tools/interop/tptp/tptp_inspect.hpp"
#include "tools/interop/tptp/tptp_writer.hpp"
#include "tools/interop/tptp/tptp_xml_reader.hpp"

namespace ringside::tool {

constinit const ForeignFormat kTrcBinFormat = {.name = "trcbin",
                                               .description = "binary traces of the TPTP profiler",
                                               .recognise = tptp::recognise_binary,
                                               .read = tptp::read_binary,
                                               .collect = tptp::collect_binary,
                                               .inspect = tptp::inspect_binary,
                                               .sent_unless_announced = "trcxml",
                                               .write = tptp::write_binary};

constinit const ForeignFormat kTrcXmlFormat = {.name = "trcxml",
                                               .description = "XML traces of the TPTP profiler",
                                               .recognise = tptp::recognise_xml,
                                               .read = tptp::read_xml,
                                               .collect = tptp::collect_xml,
                                               .inspect = tptp::inspect_xml,
                                               .write = tptp::write_xml};

}  // namespace ringside::tool
