// A statement of C++11, compiled as a probe: see probed_statements.cpp.
#include <ringside/ringside.h>

#include "probed_statements.h"

void log_in_cpp11() {
  // probe
  RS_INFO("%d in C++11", 31);
}
