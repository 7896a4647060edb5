#pragma once
// The types that a printf format wants for its arguments, which annotations of a Perfetto trace
// have with 64 bits.

#include <string_view>
#include <vector>

#include "tools/interop/perfetto/perfetto_arguments.hpp"
#include "tools/interop/site_definition.hpp"
#include "trace-format/text_sink.hpp"

namespace ringside::tool::perfetto {

// Gives them to the fields of a statement with a printf format. False: fields cannot have them, and
// nothing is changed.
bool take_printf_types(SiteDefinition& definition);

// Values of fields, as rings store them, with the types of those that `to` has instead.
void convert_values(const std::vector<ArgumentField>& from, const std::vector<FieldDefinition>& to,
                    std::string_view values, trace::TextSink& out);

}  // namespace ringside::tool::perfetto
