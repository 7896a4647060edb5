#pragma once
// Options as the environment changes them.

#include "libagent/include/ringside/ringside.hpp"

namespace ringside {

// `options` with every RINGSIDE_ variable that is set and valid applied, and everything brought
// into its range. A bad value costs one line on standard error and leaves what was there.
Options apply_environment(Options options);

bool disabled_by_environment();

// One line "ringside: ..." on standard error.
void report(const std::string& text);

}  // namespace ringside
