// kvd's logger where it is built with spdlog.
#pragma once

#include <spdlog/async_logger.h>
#include <spdlog/spdlog.h>

#include "perf/integration/placeholders.hpp"

namespace ringside::perf {

// Asynchronous, one background thread, full queue blocks, every level on, into the file that
// KVD_LOG_FILE names. Made by the first call, which ends the process if it cannot; drained at
// normal exit.
spdlog::logger& async_log();

// spdlog formats on the calling thread; in the background it adds the pattern and writes.
template <class Source, class... Arguments>
void log_async(spdlog::level::level_enum level, Arguments... arguments) {
  static spdlog::logger& log = async_log();
  PrintfFormat<Source>::with_values(
      [level](auto... values) { log.log(level, PrintfFormat<Source>::braces(), values...); },
      arguments...);
}

}  // namespace ringside::perf
