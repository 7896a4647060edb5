/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// spdlog's stopwatch: an argument that shows the seconds since its creation.

#include <ringside/compat/spdlog.hpp>

namespace spdlog {

class stopwatch {
  using clock = std::chrono::steady_clock;

 public:
  std::chrono::duration<double> elapsed() const { return clock::now() - start_; }
  std::chrono::milliseconds elapsed_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - start_);
  }
  void reset() { start_ = clock::now(); }

 private:
  clock::time_point start_ = clock::now();
};

}  // namespace spdlog

template <>
struct fmt::formatter<spdlog::stopwatch> : fmt::formatter<double> {
  template <class Context>
  auto format(const spdlog::stopwatch& watch, Context& context) const {
    return fmt::formatter<double>::format(watch.elapsed().count(), context);
  }
};
