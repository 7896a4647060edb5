#pragma once
// Renders arrays of arrays and of objects, which no field of a record can hold, as JSON.

#include <cstddef>
#include <span>
#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"

namespace ringside::tool::nettrace {

// Appends the value at the front of `payload`, whose lengths have been checked, such as
// `[[1,2],[3]]` or `[{"id":1,"name":"a"}]`. The text ends early, after its first `most_bytes`,
// which bounds the time for elements without bytes.
void append_nested_text(const MetadataField& field, std::span<const std::byte> payload,
                        std::size_t most_bytes, std::string& text, ConversionReport& report);

}  // namespace ringside::tool::nettrace
