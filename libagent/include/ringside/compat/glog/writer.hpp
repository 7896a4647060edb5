#pragma once
// How a value is written to a stream.

#include <ostream>

namespace ringside::detail::glog {

// <ringside/compat/glog/stl_logging.h> writes containers.
template <class T, class = void>
struct Writer {
  static void write(std::ostream& out, const T& value) { out << value; }
};

}  // namespace ringside::detail::glog
