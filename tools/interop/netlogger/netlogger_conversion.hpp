#pragma once
// Values in the types that a statement's printf format asks for: NetLogger and ULM know three kinds
// of values, and a format of the original types shows nothing else.

#include <span>

#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/site_definition.hpp"
#include "trace-format/value.hpp"

namespace ringside::tool::netlogger {

// Gives the fields the types that `site.format` asks for. False, and nothing has changed, if the
// style is another one, or they cannot all become that.
bool take_types_of_format(SiteDefinition& site);

// A value of a field that take_types_of_format() gave `type`. `*fits` becomes false if there is no
// place for it in that, which it then has as well as may be.
trace::Value value_as(const FieldValue& value, shm::FieldType type, bool* fits);

}  // namespace ringside::tool::netlogger
