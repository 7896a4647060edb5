#include "libagent/include/ringside/ringside.h"
#include "tests/agent/gate_statements.h"
#define LANGUAGE "c11"
#define GATES c11_gates
#include "tests/agent/gate_statements.inc"
