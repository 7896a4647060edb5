#pragma once
// Statements that the compiler copies: in each source file, and in each instance of a template.

#include <ringside/format.hpp>
#include <ringside/ringside.hpp>

namespace listed {

static inline void enter(int value) {
  RS_NOTICE("entered with %d", value);
}

template <class T>
void measure(const char* format_free, T value) {
  RS_WARNING("measured %s", format_free);
  RS_FMT(DEBUG, "value {}", value);
}

// Defined in the other source file.
void enter_elsewhere();

}  // namespace listed
