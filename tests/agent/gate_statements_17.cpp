#include "libagent/include/ringside/log.hpp"
#include "tests/agent/gate_statements.h"
#define LANGUAGE "c++17"
#define GATES cpp17_gates
#include "tests/agent/gate_statements.inc"
