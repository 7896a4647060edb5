/* The name of quill's header, for sources that stay unchanged. */
#pragma once
// quill's stopwatches: arguments that show the seconds since their creation.

#include <fmt/chrono.h>
#include <ringside/compat/quill.hpp>
#include <ringside/compat/quill/formatted_text.hpp>

namespace quill {

class StopWatchChrono {
  using clock = std::chrono::steady_clock;

 public:
  std::chrono::duration<double> elapsed() const { return clock::now() - start_; }
  template <class T>
  T elapsed_as() const {
    return std::chrono::duration_cast<T>(clock::now() - start_);
  }
  void reset() { start_ = clock::now(); }

 private:
  clock::time_point start_ = clock::now();
};
using StopWatchTsc = StopWatchChrono;

}  // namespace quill

template <>
struct fmt::formatter<quill::StopWatchChrono> : fmt::formatter<double> {
  template <class Context>
  auto format(const quill::StopWatchChrono& watch, Context& context) const {
    return fmt::formatter<double>::format(watch.elapsed().count(), context);
  }
};
