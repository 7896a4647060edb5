#pragma once
// Whether a statement's format suits its fields.

#include "tools/interop/site_definition.hpp"

namespace ringside::tool {

// False if the types differ from those that the format was written for: formats of others do not
// have all types.
bool can_format(const SiteDefinition& site);

}  // namespace ringside::tool
