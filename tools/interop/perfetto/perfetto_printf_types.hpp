#pragma once
// The types that a printf format requires for its arguments, which annotations of a Perfetto trace
// have with 64 bits. Conversions without a length modifier keep these.

#include <string_view>
#include <vector>

#include "tools/interop/perfetto/perfetto_arguments.hpp"
#include "tools/interop/site_definition.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::perfetto {

// Gives these types to the fields of a statement with a printf format. False, and nothing is
// changed, if fields cannot have them.
bool take_printf_types(SiteDefinition& definition);

// Converts values of the fields `from`, in a ring's encoding, to the types of `to`.
void convert_values(const std::vector<ArgumentField>& from, const std::vector<FieldDefinition>& to,
                    std::string_view values, trace::TextSink& out);

}  // namespace ringside::tool::perfetto
