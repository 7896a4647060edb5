#include <ringside/ringside.h>

#include "perf/ringside/c_calls.h"

#define CALLS perf_calls_in_cpp
#include "perf/ringside/c_calls.inc"
