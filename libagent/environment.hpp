#pragma once
// Applies the environment to options.

#include "libagent/include/ringside/ringside.hpp"

namespace ringside {

// `options` after applying every valid RINGSIDE_ variable and limiting all values to their ranges.
// An invalid value is reported in one line on standard error and ignored.
Options apply_environment(Options options);

bool disabled_by_environment();

}  // namespace ringside
