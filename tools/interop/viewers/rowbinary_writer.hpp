#pragma once
// Rows for ClickHouse, and the statement that creates a table for them: for current versions, and
// for version 18, which Debian has.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// A row for each record and loss, after the names and types of the columns.
std::unique_ptr<TraceWriter> write_rowbinary(OutputBytes& output, ConversionReport& report);

// The same as plain RowBinary, which has neither names nor types: the columns of
// write_rowbinary_schema_18() in their order.
std::unique_ptr<TraceWriter> write_rowbinary_18(OutputBytes& output, ConversionReport& report);

// CREATE TABLE, the same for all records.
std::unique_ptr<TraceWriter> write_rowbinary_schema(OutputBytes& output, ConversionReport& report);
std::unique_ptr<TraceWriter> write_rowbinary_schema_18(OutputBytes& output,
                                                       ConversionReport& report);

}  // namespace ringside::tool
