#include "perf/ringside/c_calls.h"

#include <ringside/ringside.h>

#define CALLS perf_calls_in_c
#include "perf/ringside/c_calls.inc"
