// kvd's logger when kvd is built with spdlog.
#pragma once

#include <spdlog/async_logger.h>
#include <spdlog/spdlog.h>

#include "perf/integration/placeholders.hpp"

namespace ringside::perf {

// Asynchronous, one background thread, a full queue blocks, every level on; writes to the file that
// KVD_LOG_FILE names. Created by the first call, which ends the process if that fails; drained at
// normal exit.
spdlog::logger& async_log();

// spdlog formats the message on the calling thread; the background thread adds the pattern and
// writes.
template <class Source, class... Arguments>
void log_async(spdlog::level::level_enum level, Arguments... arguments) {
  static spdlog::logger& log = async_log();
  PrintfFormat<Source>::with_values(
      [level](auto... values) { log.log(level, PrintfFormat<Source>::braces(), values...); },
      arguments...);
}

}  // namespace ringside::perf
