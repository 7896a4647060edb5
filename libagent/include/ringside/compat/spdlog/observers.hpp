#pragma once
// What needs the text of a logger's messages besides the trace: its backtrace, and sinks of the
// service's own.

#include <unistd.h>
#include <vector>

#include "backtrace.hpp"
#include "sink.hpp"

namespace spdlog::compat {

/// Messages can come from several threads at once. The list of sinks must not change meanwhile, as
/// with spdlog.
class Observers {
 public:
  Observers() = default;
  explicit Observers(std::vector<sink_ptr> given) : sinks(std::move(given)) {}

  std::vector<sink_ptr> sinks;
  Backtrace backtrace;

  bool has_called_sinks() const {
    for (const sink_ptr& each : sinks) {
      if (each->is_called()) return true;
    }
    return false;
  }

  /// Gives the message to the called sinks. Their exceptions end here: `on_error` gets the text.
  void call_sinks(const std::string& name, source_loc place, level::level_enum level,
                  string_view_t text, level::level_enum flush_level, const err_handler& on_error) {
    const details::log_msg message{{name.data(), name.size()},         level, log_clock::now(),
                                   static_cast<std::size_t>(gettid()), place, text};
    for (const sink_ptr& each : sinks) {
      if (!each->is_called() || !each->should_log(level)) continue;
      guarded(on_error, [&] {
        each->log(message);
        if (level >= flush_level && level != level::off) each->flush();
      });
    }
  }

  void flush_sinks(const err_handler& on_error) {
    for (const sink_ptr& each : sinks) {
      guarded(on_error, [&] { each->flush(); });
    }
  }

 private:
  // What the handler throws reaches the caller, as with spdlog.
  template <class Function>
  static void guarded(const err_handler& on_error, Function function) {
    ringside::detail::call_guarded(function, [&](const char* failure) {
      if (on_error) on_error(failure);
    });
  }
};

}  // namespace spdlog::compat
