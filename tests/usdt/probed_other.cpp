// The second file that has the inline function.
#include "probed_inline.hpp"
#include "probed_statements.h"

void log_in_other_file() {
  log_in_inline_function(44);
}
