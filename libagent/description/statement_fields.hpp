#pragma once
// The fields of a statement of the C front end, from its format and the types of its arguments.

#include "libagent/include/ringside/abi.h"
#include "shm-layout/printf_fields.hpp"

namespace ringside {

// Completes `site.fields` and decides whether the statement stores its arguments inline. Before the
// statement's id is published, and so before other code reads the fields. `conversions`: null
// without a format. False if they do not belong to the arguments, which compilers refuse unless
// errors are ignored.
bool complete_fields(rs_site& site, const shm::FieldList* conversions);

}  // namespace ringside
