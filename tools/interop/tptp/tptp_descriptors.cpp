#include "tools/interop/tptp/tptp_descriptors.hpp"

#include "tools/interop/tptp/tptp_collector.hpp"
#include "tools/interop/tptp/tptp_import.hpp"
#include "tools/interop/tptp/tptp_inspect.hpp"
#include "tools/interop/tptp/tptp_totals.hpp"
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
                                               .draws_spans = true,
                                               .states_collection = true,
                                               .write = tptp::write_binary};

constinit const ForeignFormat kTrcXmlFormat = {.name = "trcxml",
                                               .description = "XML traces of the TPTP profiler",
                                               .recognise = tptp::recognise_xml,
                                               .read = tptp::read_xml,
                                               .collect = tptp::collect_xml,
                                               .inspect = tptp::inspect_xml,
                                               .draws_spans = true,
                                               .states_collection = true,
                                               .write = tptp::write_xml};

constinit const ForeignFormat kTrcBinTotalsFormat = {
    .name = "trcbin-totals",
    .description = "binary traces of the TPTP profiler, with the totals of calls",
    .sent_unless_announced = "trcxml-totals",
    .draws_spans = true,
    .write = tptp::write_binary_totals};

constinit const ForeignFormat kTrcXmlTotalsFormat = {
    .name = "trcxml-totals",
    .description = "XML traces of the TPTP profiler, with the totals of calls",
    .draws_spans = true,
    .write = tptp::write_xml_totals};

}  // namespace ringside::tool
