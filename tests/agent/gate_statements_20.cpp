#include "libagent/include/ringside/log.hpp"
#include "tests/agent/gate_statements.h"
#define LANGUAGE "c++20"
#define GATES cpp20_gates
#include "tests/agent/gate_statements.inc"
