#pragma once
// Converts values to the types that a statement's printf format requires: NetLogger and ULM have
// three kinds of values, but a format only works with the original types.

#include <span>

#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/site_definition.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::netlogger {

// Gives the fields the types that `site.format` requires. False, and nothing is changed, if the
// style is not printf or a field cannot have its type.
bool take_types_of_format(SiteDefinition& site);

// A value of a field to which take_types_of_format() gave `type`. `*fits` becomes false if the type
// cannot hold it; then the result is the closest value.
trace::Value value_as(const FieldValue& value, shm::FieldType type, bool* fits);

}  // namespace ringside::tool::netlogger
