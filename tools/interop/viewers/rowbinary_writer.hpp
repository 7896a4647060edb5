#pragma once
// ClickHouse's RowBinaryWithNamesAndTypes, and the statement that makes a table for it.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// A row for each record and loss, behind the names and types of the columns.
std::unique_ptr<TraceWriter> write_rowbinary(OutputBytes& output, ConversionReport& report);

// CREATE TABLE, whatever the records.
std::unique_ptr<TraceWriter> write_rowbinary_schema(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
