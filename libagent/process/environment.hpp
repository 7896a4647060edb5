#pragma once
// Applies the environment to options.

#include "libagent/include/ringside/ringside.hpp"

namespace ringside {

// `options` after applying every valid RINGSIDE_ variable and limiting all values to their ranges.
// An invalid value is reported in one line on standard error and ignored.
Options apply_environment(Options options);

bool disabled_by_environment();

// RINGSIDE_HUGE_PAGES. No option of programs: it depends on the host.
bool huge_pages_by_environment();

// The level in force once the environment is applied to `level`; Level::off if it disables
// everything. Reports nothing: the call that applies the environment does.
Level level_with_environment(Level level);

}  // namespace ringside
