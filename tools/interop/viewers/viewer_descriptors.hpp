#pragma once
// The descriptors of the formats that are only written.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kCsvFormat;
extern const ForeignFormat kFoldedFormat;
extern const ForeignFormat kOtlpFormat;
extern const ForeignFormat kRowBinaryFormat;
extern const ForeignFormat kRowBinary18Format;
extern const ForeignFormat kRowBinarySchemaFormat;
extern const ForeignFormat kRowBinarySchema18Format;
extern const ForeignFormat kSpeedscopeFormat;

}  // namespace ringside::tool
