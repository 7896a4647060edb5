#include "tools/interop/viewers/viewer_descriptors.hpp"

#include "tools/interop/viewers/line_writers.hpp"
#include "tools/interop/viewers/otlp_writer.hpp"
#include "tools/interop/viewers/profile_writers.hpp"
#include "tools/interop/viewers/rowbinary_writer.hpp"

namespace ringside::tool {

constinit const ForeignFormat kCsvFormat = {.name = "csv",
                                            .description = "a line of values for each record",
                                            .carries_contexts = true,
                                            .forwards = true,
                                            .write = write_csv};

constinit const ForeignFormat kFoldedFormat = {
    .name = "folded",
    .description = "folded stacks of spans and of a profiler's samples",
    .draws_spans = true,
    .draws_stacks = true,
    .write = write_folded};

constinit const ForeignFormat kOtlpFormat = {
    .name = "otlp",
    .description = "OTLP/JSON of OpenTelemetry, logs and spans",
    .draws_spans = true,
    .draws_stacks = true,
    .forwards = true,
    .write = write_otlp};

constinit const ForeignFormat kRowBinaryFormat = {
    .name = "rowbinary",
    .description = "ClickHouse's RowBinaryWithNamesAndTypes",
    .write = write_rowbinary};

constinit const ForeignFormat kRowBinary18Format = {
    .name = "rowbinary-18",
    .description = "RowBinary for ClickHouse 18, as in Debian",
    .write = write_rowbinary_18};

constinit const ForeignFormat kRowBinarySchemaFormat = {
    .name = "rowbinary-schema",
    .description = "the statement that makes ClickHouse's table",
    .write = write_rowbinary_schema};

constinit const ForeignFormat kRowBinarySchema18Format = {
    .name = "rowbinary-schema-18",
    .description = "the statement that makes the table in ClickHouse 18",
    .write = write_rowbinary_schema_18};

constinit const ForeignFormat kSpeedscopeFormat = {.name = "speedscope",
                                                   .description = "profiles of speedscope",
                                                   .draws_spans = true,
                                                   .draws_stacks = true,
                                                   .write = write_speedscope};

}  // namespace ringside::tool
