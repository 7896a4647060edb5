#pragma once
// A statement in an inline function of several files: one of its copies remains in the program.

#include <ringside/ringside.hpp>

[[gnu::noinline]] inline void log_in_inline_function(int value) {
  // probe 43 44
  RS_INFO("in an inline function %d", value);
}
