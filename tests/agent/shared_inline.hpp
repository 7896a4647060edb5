#pragma once
// A statement in an inline function that two translation units include.

#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/stream.hpp"

namespace ringside::test {

inline void log_from_header(int value) {
  RS_INFO("inline in a header %d", value);
}

inline void stream_from_header(int value) {
  RS_STREAM(INFO) << "stream in a header " << value;
}

// Defined in the second translation unit.
void log_from_other_unit(int value);
void stream_from_other_unit(int value);
void log_template_from_other_unit();

template <class T>
void log_from_template(T value) {
  RS_INFO("template %d", static_cast<int>(value));
}

}  // namespace ringside::test
