#pragma once
// The order of time for records on their way into a trace file.

#include "tools/interop/record_bytes.hpp"
#include "trace-format/site_table.hpp"

namespace ringside::tool {

// Puts records, and the losses between them, in the order of their times; those of one time stay as
// they are. `ring` holds whole records as rings have them, of sites in the table, and begins with a
// clock record. Takes 16 bytes for each record, and up to twice the ring's size.
//
// Whoever reads the extents that are made of `ring` needs one of them at a time, and keeps no
// record of it: without order each would be kept from the first on.
void put_in_order_of_time(RecordBytes& ring, const trace::SiteTable& sites);

}  // namespace ringside::tool
