#pragma once
/// @file
/// The text of a value that only std::ostream can write.

#include "required_platform.h"
// Before all others.
#include <sstream>
#include <string>

namespace ringside {

/// Writes a value with its operator<<, at once.
///
///     RS_STREAM(INFO) << "matrix " << ringside::streamed(matrix);
///     RS_INFO("matrix %s", ringside::streamed(matrix));
///
/// Slow: it formats and allocates memory in the calling thread, a microsecond and more. Arguments
/// are evaluated only while the statement is enabled.
///
/// @param value  a value with an operator<< for std::ostream
/// @return the text. Exceptions of the operator and of the allocator are passed on.
/// @par Thread safety
/// That of the value's operator<<. Not for signal handlers.
template <class T>
std::string streamed(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

}  // namespace ringside
