#pragma once
// Puts records in order of time before they are written to a trace file.

#include "tools/interop/record_bytes.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

// Puts records, and the losses between them, in order of their times; records of equal time keep
// their order. `ring` holds whole records in a ring's encoding, of sites in the table, and begins
// with a clock record. Takes 16 bytes for each record, and up to twice the ring's size.
//
// Readers then need one of the extents made from `ring` at a time and keep no records. Without
// order they would have to keep every extent from the first one on.
void put_in_order_of_time(RecordBytes& ring, const trace::SiteTable& sites);

}  // namespace ringside::tool
